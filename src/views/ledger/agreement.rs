//! A trace checked by the profiler's output of the same run, when both are open.

use crate::analysis::device::Agreement;
use crate::engine::query::{AgreementPartQuery, AgreementQuery};
use crate::views::other_profile::OtherProfile;
use crate::views::query::follow;
use crate::worker::client::{Ask, EngineError};
use leptos::prelude::*;

/// A sentence for each of `others` that is of the same run; asked again when these change.
pub fn agreements(own: Ask, others: Signal<Vec<OtherProfile>>) -> Signal<Vec<String>> {
    let given = Signal::derive(move || Some(others.get()).filter(|all| !all.is_empty()));
    let found = follow(given, move |others: Vec<OtherProfile>| compare(own.clone(), others));
    Signal::derive(move || found.value.with(|all| all.as_ref().map(|all| all.as_ref().clone()).unwrap_or_default()))
}

/// Those of `others` that are of the same run, with how they agree.
pub(super) async fn of_one_run(own: &Ask, others: Vec<OtherProfile>) -> Result<Vec<(OtherProfile, Agreement)>, EngineError> {
    let part = own.ask(AgreementPartQuery).await?;
    let mut out = Vec::new();
    for other in others {
        // What is not of the same run has nothing to say here.
        if let Some(found) = other.ask.ask(AgreementQuery { other: part.clone() }).await? {
            out.push((other, found));
        }
    }
    Ok(out)
}

async fn compare(own: Ask, others: Vec<OtherProfile>) -> Result<Vec<String>, EngineError> {
    let found = of_one_run(&own, others).await?;
    Ok(found.into_iter().map(|(other, found)| format!("{}: {}", other.title, found.sentence())).collect())
}
