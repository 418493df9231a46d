//! A question to an open profile: plain data that names the type of its answer. The list of all of them makes the wire's two enums.

use super::Session;
use crate::formats::ImportError;
use serde::{Deserialize, Serialize};

/// A question to an open profile.
pub trait Question: Clone + PartialEq + std::fmt::Debug + Into<Query> + 'static {
    /// What it is answered with.
    type Answer: Clone + PartialEq + std::fmt::Debug + Send + Sync + 'static;
    /// Answers it from a session.
    fn answer(&self, session: &Session) -> Result<Self::Answer, Refusal>;
}

/// Why a profile has no answer to a question. On the wire it is its sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Only profiles of another kind have an answer.
    #[error("This profile is not {0}.")]
    OtherKind(&'static str),
    /// The slice or the instant is not in the profile.
    #[error("This profile has no such slice or instant.")]
    NoSuchItem,
    /// The table is not in the profile.
    #[error("This profile has no table `{0}`.")]
    NoTable(String),
    /// The profile has no column of that name.
    #[error("This profile has no column `{0}` to group by.")]
    NoColumn(String),
    /// No importer has that name.
    #[error("Unknown format `{0}`.")]
    UnknownFormat(String),
    /// The file could not be read again.
    #[error("{0}")]
    Unreadable(String),
    /// What was asked cannot be answered; an analysis says why.
    #[error("{0}")]
    Because(String),
}

impl From<String> for Refusal {
    fn from(sentence: String) -> Self {
        Refusal::Because(sentence)
    }
}

impl From<ImportError> for Refusal {
    fn from(error: ImportError) -> Self {
        Refusal::Unreadable(error.to_string())
    }
}

/// A question as it travels: what the list below makes of it.
pub trait Wire: Question {
    /// The answer out of the enum in which it travels; `None` when it is that of another question.
    fn pick(answer: Answer) -> Option<Self::Answer>;
}

/// The answer as it travels.
fn answered<A>(found: Result<A, Refusal>, wrap: fn(Box<A>) -> Answer) -> Answer {
    match found {
        Ok(answer) => wrap(Box::new(answer)),
        Err(refusal) => Answer::Refused(refusal.to_string()),
    }
}

/// Makes the enums that travel between page and worker from the list of questions, each with one way there and back.
macro_rules! questions {
    (common: $($common:ident),* ; neuron: $($neuron:ident),* ;) => {
        questions!($($common),*, $($neuron),*);

        impl Query {
            /// Answers it from a session.
            pub fn answer(&self, session: &Session) -> Answer {
                if let Some(answer) = session.scoped_answer(self) {
                    return answer;
                }
                match self {
                    $(Query::$common(question) => answered(question.answer(session), Answer::$common),)*
                    _ => match super::of_neuron::linked() {
                        Ok(neuron) => (neuron.answer)(self, session),
                        Err(refusal) => Answer::Refused(refusal.to_string()),
                    },
                }
            }

            /// Answers a question about profiles of Neuron.
            pub(super) fn answer_of_neuron(&self, session: &Session) -> Answer {
                match self {
                    $(Query::$neuron(question) => answered(question.answer(session), Answer::$neuron),)*
                    _ => Answer::Refused("Expected a question about a profile of Neuron.".into()),
                }
            }
        }
    };
    ($($question:ident),*) => {
        /// Any question, as it travels to the worker.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        pub enum Query {
            $(
                #[doc = concat!("See [`", stringify!($question), "`].")]
                $question(Box<$question>),
            )*
        }

        /// The answer to the question of the same name, as it travels back.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        pub enum Answer {
            $(
                #[doc = concat!("To a [`", stringify!($question), "`].")]
                $question(Box<<$question as Question>::Answer>),
            )*
            /// There is none; a sentence says why.
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
                fn pick(answer: Answer) -> Option<Self::Answer> {
                    match answer {
                        Answer::$question(answer) => Some(*answer),
                        _ => None,
                    }
                }
            }
        )*
    };
}

/// Answers to questions, each a line: `Question => Answer: what computes it from the session and the question`.
macro_rules! answers {
    ($($question:ty => $answer:ty: $compute:expr;)*) => {$(
        impl $crate::engine::Question for $question {
            type Answer = $answer;
            fn answer(&self, session: &$crate::engine::Session) -> Result<$answer, $crate::engine::Refusal> {
                let compute: fn(&$crate::engine::Session, &$question) -> Result<$answer, $crate::engine::Refusal> = $compute;
                compute(session, self)
            }
        }
    )*};
}
pub(in crate::engine) use answers;

use super::query::*;

questions! {
    common:
    // Of any profile.
    ImportQuery, OperatorsQuery, OccurrencesQuery, DetailsQuery, BriefQuery, HeadlineQuery, FindQuery, FlowsQuery, ColourKeysQuery, SpanQuery,
    SearchQuery, ScanQuery, HitSummaryQuery, HitTablesQuery, TableQuery, TableHelpQuery, TableInfosQuery, TablePartQuery, ConvertedTablesQuery, ExportQuery,
    TraceEventsQuery, ScopeQuery,
    ExplainQuery, ExplainPairQuery, VariantPartsQuery, VariantsQuery,
    // Of PyTorch traces.
    OverviewQuery, OpsQuery, OpMembersQuery, KernelsQuery, KernelMembersQuery, EfficiencyQuery, StepsQuery, TraceCountersQuery, LinksQuery,
    MemoryQuery, MemoryEventsQuery, MemoryFramesQuery, DistributedPartQuery, DistributedQuery, ModulesQuery, TreeQuery, DiffPartQuery,
    DiffQuery, FlatDiffQuery, RunPartQuery,
    // Of run summaries.
    FleetQuery, FleetMapQuery, FleetCompareQuery,
    // Of memory snapshots.
    SnapshotQuery, PictureQuery, LiveQuery, AllocationsQuery, AllocationQuery, SegmentsQuery;
    neuron:
    // Of Neuron device profiles.
    SummaryQuery, ChartsQuery, LayersQuery, LayerSlicesQuery, RooflineQuery, BoundsQuery, EvidenceQuery, RegionsQuery, RegionWindowsQuery, GapsQuery,
    CriticalPathQuery, AdviceQuery, DmaRowsQuery, MergedBarQuery, NameRowsQuery, CurvesQuery, ProgramQuery, AlignmentQuery, MemoryMapQuery, SourceQuery,
    SourceSlicesQuery, BandsQuery, TensorsQuery, SbufQuery, AgreementPartQuery, AgreementQuery, UnknownWordsQuery, LearnQuery, LearnedCodesQuery,
    ComparePartQuery, CompareQuery,
    // Of Neuron's reports, logs and system profiles.
    SupportQuery, SupportTopQuery, SupportDiffQuery, LogOpsQuery, LogTimelineQuery, LogOverlapQuery, LogTraceQuery, LogPartQuery,
    LogDiffQuery, SystemQuery, ServingQuery, ExecutionQuery, ChainQuery, SystemRowsQuery;
}
