//! The list of all questions, and how question and answer travel: the number of the question in the list, then the value. Who asks knows the type of
//! the answer, and who passes on reads neither: a program has the code of the questions alone that it asks or answers.

use super::Session;
use super::full;
use super::query::*;
use super::question::{Question, Refusal, Wire};
use super::renamed::encode;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// A question as it travels.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EncodedQuery(Vec<u8>);

impl EncodedQuery {
    /// The question. One that cannot be written has no bytes, and is refused.
    pub fn of<Q: Wire>(question: &Q) -> EncodedQuery {
        EncodedQuery(encode(&(Q::NUMBER, question)).unwrap_or_default())
    }

    /// What has come.
    pub fn from_bytes(bytes: Vec<u8>) -> EncodedQuery {
        EncodedQuery(bytes)
    }

    /// What travels.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Number and value.
    fn parts(&self) -> Option<(u32, &[u8])> {
        postcard::take_from_bytes(&self.0).ok()
    }

    /// Its number in the list.
    pub fn number(&self) -> Option<u32> {
        Some(self.parts()?.0)
    }

    /// The question, if it is of that type.
    pub fn read<Q: Wire>(&self) -> Option<Q> {
        let (number, value) = self.parts()?;
        (number == Q::NUMBER).then(|| postcard::from_bytes(value).ok())?
    }

    /// Answers it from a session.
    pub fn answer(&self, session: &Session) -> EncodedAnswer {
        match self.parts() {
            Some((number, value)) => encoded_answer(number, value, session),
            None => EncodedAnswer::unread(),
        }
    }
}

/// An answer as it travels.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EncodedAnswer(Vec<u8>);

/// Why an answer is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoAnswer {
    /// The profile has none; a sentence.
    Refused(String),
    /// The answer belongs to another question, or to another version of this program.
    Other,
}

impl From<NoAnswer> for Refusal {
    fn from(why: NoAnswer) -> Self {
        match why {
            NoAnswer::Refused(sentence) => Refusal::Refused(sentence),
            NoAnswer::Other => Refusal::OtherQuestion,
        }
    }
}

impl EncodedAnswer {
    /// An answer that was found.
    pub fn of<Q: Wire>(found: Result<&Q::Answer, &Refusal>) -> EncodedAnswer {
        match found {
            Ok(answer) => EncodedAnswer::written(encode(&(Q::NUMBER, answer)).map_err(Refusal::Unwritable)),
            Err(refusal) => EncodedAnswer::refused(&refusal.to_string()),
        }
    }

    /// The bytes of an answer, or why there are none.
    fn written(bytes: Result<Vec<u8>, Refusal>) -> EncodedAnswer {
        bytes.map_or_else(|refusal| EncodedAnswer::refused(&refusal.to_string()), EncodedAnswer)
    }

    /// A refusal; `sentence` is the reason.
    pub fn refused(sentence: &str) -> EncodedAnswer {
        EncodedAnswer(encode(&(REFUSED, sentence)).unwrap_or_default())
    }

    /// To a question of another version.
    fn unread() -> EncodedAnswer {
        EncodedAnswer::refused("The question could not be read. Reload the page.")
    }

    /// What has come.
    pub fn from_bytes(bytes: Vec<u8>) -> EncodedAnswer {
        EncodedAnswer(bytes)
    }

    /// What travels.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Whether there is none.
    pub fn is_refused(&self) -> bool {
        postcard::take_from_bytes::<u32>(&self.0).is_ok_and(|(number, _)| number == REFUSED)
    }

    /// The answer to a question of that type.
    ///
    /// # Errors
    /// When the profile has none, or the bytes are of something else.
    pub fn read<Q: Wire>(&self) -> Result<Q::Answer, NoAnswer> {
        match postcard::take_from_bytes::<u32>(&self.0) {
            Ok((number, value)) if number == Q::NUMBER => postcard::from_bytes(value).map_err(|_| NoAnswer::Other),
            Ok((REFUSED, value)) => Err(postcard::from_bytes(value).map_or(NoAnswer::Other, NoAnswer::Refused)),
            _ => Err(NoAnswer::Other),
        }
    }
}

/// Decodes a question and answers it.
fn answer_one<Q: Wire>(value: &[u8], session: &Session) -> EncodedAnswer {
    let Ok(question) = postcard::from_bytes::<Q>(value) else { return EncodedAnswer::unread() };
    if let Some(answer) = session.scoped_answer(&question) {
        return EncodedAnswer::written(answer);
    }
    match question.answer(session) {
        Ok(answer) => EncodedAnswer::of::<Q>(Ok(&answer)),
        Err(refusal) => EncodedAnswer::of::<Q>(Err(&refusal)),
    }
}

/// The number that a refusal travels with: after all questions.
const REFUSED: u32 = Query::NAMES.len() as u32;

impl Query {
    /// Answers the question through the wire format, for tests.
    pub fn answer(&self, session: &Session) -> Answer {
        let answer = encode(self).map(|bytes| EncodedQuery::from_bytes(bytes).answer(session));
        answer.and_then(|answer| postcard::from_bytes(answer.bytes())).unwrap_or_else(|error| Answer::Refused(error.to_string()))
    }
}

/// Answers a question that the common worker does not answer: its number, its value, the profile.
type FullAnswer = fn(u32, &[u8], &Session) -> EncodedAnswer;
static FULL: OnceLock<FullAnswer> = OnceLock::new();

/// Links importers, analyses and tables of every format into this program. Natively they are there without it.
pub fn link_all() {
    full::link();
    // The second call finds the same function there.
    let _ = FULL.set(full_answer);
}

fn linked() -> Option<FullAnswer> {
    #[cfg(not(target_arch = "wasm32"))]
    link_all();
    FULL.get().copied()
}

/// Numbers the questions of the list, dispatches each to its answer, and defines the enums of all questions and all answers.
macro_rules! questions {
    (common: $($common:ident),* ; full: $($full:ident),* ;) => {
        questions!($($common),*, $($full),*);

        /// The answer to the question of that number with that value.
        fn encoded_answer(number: u32, value: &[u8], session: &Session) -> EncodedAnswer {
            match number {
                $(n if n == $common::NUMBER => answer_one::<$common>(value, session),)*
                _ => match linked() {
                    Some(answer) => answer(number, value, session),
                    None => EncodedAnswer::refused(&Refusal::OtherWorker.to_string()),
                },
            }
        }

        /// The same to a question that the common worker does not answer.
        fn full_answer(number: u32, value: &[u8], session: &Session) -> EncodedAnswer {
            match number {
                $(n if n == $full::NUMBER => answer_one::<$full>(value, session),)*
                _ => EncodedAnswer::unread(),
            }
        }
    };
    ($($question:ident),*) => {
        /// Numbers of the questions.
        #[repr(u32)]
        #[expect(clippy::enum_variant_names, reason = "the names are those of the questions")]
        enum Number {
            $($question),*
        }

        /// Any question: what its number and its value are read as together.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        pub enum Query {
            $(
                #[doc = concat!("See [`", stringify!($question), "`].")]
                $question(Box<$question>),
            )*
        }

        /// The answer to the question of the same name.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        pub enum Answer {
            $(
                #[doc = concat!("To a [`", stringify!($question), "`].")]
                $question(Box<<$question as Question>::Answer>),
            )*
            /// No answer; a sentence gives the reason.
            Refused(String),
        }

        impl Query {
            /// The names of all questions, in the order of the list.
            pub const NAMES: &[&str] = &[$(stringify!($question)),*];
        }

        $(
            impl From<$question> for Query {
                fn from(question: $question) -> Query {
                    Query::$question(Box::new(question))
                }
            }

            impl Wire for $question {
                const NUMBER: u32 = Number::$question as u32;
            }
        )*
    };
}

questions! {
    common:
    // About any profile.
    ImportQuery, OperatorsQuery, OccurrencesQuery, DetailsQuery, BriefQuery, HeadlineQuery, FindQuery, FlowsQuery, ColourKeysQuery, SpanQuery,
    SearchQuery, ScanQuery, HitSummaryQuery, HitTablesQuery, TableQuery, TableHelpQuery, TableInfosQuery, TablePartQuery, ConvertedTablesQuery, ExportQuery,
    TraceEventsQuery, RangeRecordsQuery, ScopeQuery,
    ExplainQuery, ExplainPairQuery, VariantPartsQuery, VariantsQuery,
    // About PyTorch traces.
    OverviewQuery, OpsQuery, OpMembersQuery, KernelsQuery, KernelMembersQuery, EfficiencyQuery, StepsQuery, TraceCountersQuery, LinksQuery,
    MemoryQuery, MemoryEventsQuery, MemoryFramesQuery, DistributedPartQuery, DistributedQuery, ModulesQuery, TreeQuery, DiffPartQuery,
    DiffQuery, FlatDiffQuery, RunPartQuery;
    full:
    // About Neuron device profiles.
    SummaryQuery, ChartsQuery, LayersQuery, LayerSlicesQuery, RooflineQuery, BoundsQuery, EvidenceQuery, RegionsQuery, RegionWindowsQuery, GapsQuery,
    CriticalPathQuery, AdviceQuery, DmaRowsQuery, MergedBarQuery, NameRowsQuery, CurvesQuery, ProgramQuery, AlignmentQuery, MemoryMapQuery, SourceQuery,
    SourceSlicesQuery, BandsQuery, TensorsQuery, SbufQuery, AgreementPartQuery, AgreementQuery, UnknownWordsQuery, LearnQuery, LearnedCodesQuery,
    ComparePartQuery, CompareQuery,
    // About Neuron's reports, logs and system profiles.
    SupportQuery, SupportTopQuery, SupportDiffQuery, LogOpsQuery, LogTimelineQuery, LogOverlapQuery, LogTraceQuery, LogPartQuery,
    LogDiffQuery, SystemQuery, ServingQuery, ExecutionQuery, ChainQuery, SystemRowsQuery,
    // About run summaries.
    FleetQuery, FleetMapQuery, FleetCompareQuery,
    // About memory snapshots.
    SnapshotQuery, PictureQuery, LiveQuery, AllocationsQuery, AllocationQuery, SegmentsQuery;
}
