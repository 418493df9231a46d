//! What the views of a device profile ask first. Each answer reads columns of the whole run: a worker that has nothing else to do finds them ahead,
//! and these views are there at once.

use super::query::{AdviceQuery, BoundsQuery, ChartsQuery, ComparePartQuery, CriticalPathQuery, EvidenceQuery, ExplainQuery};
use super::query::{GapsQuery, RegionsQuery, SummaryQuery};
use super::{EncodedQuery, Preparation, QuestionAhead, Session};
use crate::analysis::device::bounds::{CoreBounds, GapKind};

/// The questions, in an order in which one builds on the other.
pub(super) fn questions(what: Preparation) -> &'static [QuestionAhead] {
    match what {
        Preparation::Views => &OF_VIEWS,
        Preparation::Comparison => &OF_A_COMPARISON,
    }
}

/// What Compare asks each profile.
const OF_A_COMPARISON: [QuestionAhead; 2] =
    [|_| Some(EncodedQuery::of(&ComparePartQuery)), |_| Some(EncodedQuery::of(&ExplainQuery::default()))];

/// Advice is last: it frees what only Bounds and Compare need.
const OF_VIEWS: [QuestionAhead; 9] = [
    |_| Some(EncodedQuery::of(&SummaryQuery { range: None })),
    |_| Some(EncodedQuery::of(&BoundsQuery::default())),
    |session| causes_of(session, |core| core.main_gap().unwrap_or(GapKind::DmaIdle)),
    |session| causes_of(session, |_| GapKind::Unoverlapped),
    |_| Some(EncodedQuery::of(&RegionsQuery::default())),
    |_| Some(EncodedQuery::of(&ChartsQuery { range: None })),
    |_| Some(EncodedQuery::of(&GapsQuery { range: None })),
    |_| Some(EncodedQuery::of(&CriticalPathQuery { is_by_data: false })),
    |_| Some(EncodedQuery::of(&AdviceQuery)),
];

/// The causes of a gap of the first core; `None` where there is no core.
fn causes_of(session: &Session, gap: fn(&CoreBounds) -> GapKind) -> Option<EncodedQuery> {
    let bounds = session.ask(&BoundsQuery::default()).ok()?;
    Some(EncodedQuery::of(&EvidenceQuery { range: None, core: 0, gap: gap(bounds.cores.first()?) }))
}
