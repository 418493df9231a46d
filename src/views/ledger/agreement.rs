//! A trace checked by the profiler's output of the same run, when both are open.

use crate::engine::query::{AgreementPartQuery, AgreementQuery};
use crate::views::ask::follow;
use crate::worker::client::{Ask, EngineError};
use leptos::prelude::*;

/// Another open device profile.
#[derive(Clone)]
pub struct OtherProfile {
    /// Content hash.
    pub hash: String,
    /// Its title.
    pub title: String,
    /// Answers for it.
    pub ask: Ask,
}

impl PartialEq for OtherProfile {
    fn eq(&self, other: &Self) -> bool {
        (&self.hash, &self.title) == (&other.hash, &other.title)
    }
}

/// A sentence for each of `others` that is of the same run; asked again when these change.
pub fn agreements(own: Ask, others: Signal<Vec<OtherProfile>>) -> Signal<Vec<String>> {
    let given = Signal::derive(move || Some(others.get()).filter(|all| !all.is_empty()));
    let found = follow(given, move |others: Vec<OtherProfile>| compare(own.clone(), others));
    Signal::derive(move || found.value.with(|all| all.as_ref().map(|all| all.as_ref().clone()).unwrap_or_default()))
}

async fn compare(own: Ask, others: Vec<OtherProfile>) -> Result<Vec<String>, EngineError> {
    let part = own.ask(AgreementPartQuery).await?;
    let mut out = Vec::new();
    for other in others {
        // What is not of the same run has nothing to say here.
        let query = AgreementQuery { other: part.clone() };
        if let Some(found) = other.ask.ask(query).await? {
            out.push(format!("{}: {}", other.title, found.sentence()));
        }
    }
    Ok(out)
}
