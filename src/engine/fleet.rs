//! What a session contributes to a run of many ranks, and the questions of a run summary.

use super::Session;
use super::question::{Refusal, answers};
use crate::analysis::fleet::{self, FleetCompareQuery, FleetComparison, FleetMap, FleetMapQuery, FleetSummary};
use crate::analysis::torch::run_part::RunPartQuery;
use crate::base::{Severity, SkipReason};
use crate::model::Domain;
use crate::model::fleet::{FleetRun, PartSkip, RunPart};
use serde::{Deserialize, Serialize};

/// Ranks, findings, stragglers, collectives, operators, hosts and devices.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FleetQuery;

impl Session {
    fn run(&self) -> Result<&FleetRun, Refusal> {
        match &self.profile.domain {
            Domain::Fleet(run) => Ok(run),
            _ => Err(Refusal::OtherKind("a run summary")),
        }
    }

    /// The part of this trace with its ledger.
    pub fn run_part(&self, query: &RunPartQuery) -> Result<RunPart, Refusal> {
        let mut part = self.ask(query)?;
        let ledger = &self.ledger;
        (part.meta.n_read, part.meta.n_shown, part.meta.n_concerns) = (ledger.read, ledger.shown, ledger.n_concerns());
        let word = |severity: Severity| match severity {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::DataLoss => "data_loss",
        };
        let skip =
            |s: &SkipReason| PartSkip { kind: s.kind.clone(), severity: word(s.severity).into(), reason: s.reason.clone(), count: s.count };
        part.skipped = ledger.skipped.iter().map(skip).collect();
        Ok(part)
    }
}

answers! {
    FleetQuery => FleetSummary: |session, _| Ok(fleet::summary(session.run()?));
    FleetMapQuery => FleetMap: |session, q| Ok(fleet::map(session.run()?, q.metric, q.order));
    FleetCompareQuery => FleetComparison: |session, q| Ok(fleet::compare(&q.base, &fleet::summary(session.run()?)));
}
