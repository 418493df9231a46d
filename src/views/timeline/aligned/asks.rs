//! Questions to all workers of a stack at once.

use super::colours::Colours;
use super::stack::Stack;
use crate::analysis::colouring::DURATION;
use crate::engine::EncodedAnswer;
use crate::engine::query::{ColourKeys, ColourKeysQuery, Flows, FlowsQuery, OperatorsQuery};
use crate::worker::client::{Ask, Call};
use futures_util::StreamExt;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::sync::Arc;

/// Who answers for the arrows of all workers, in the ids of the stack; it ends when nobody can ask any more. `asks` gives who answers for each
/// worker, from top to bottom.
pub fn ask_all(stack: Memo<Option<Arc<Stack>>>, asks: impl Fn() -> Vec<Ask> + 'static) -> Ask {
    let (ask, mut calls) = Ask::channel();
    spawn_local(async move {
        while let Some(Call { query, reply }) = calls.next().await {
            let answer = match (query.read::<FlowsQuery>(), stack.try_get_untracked().flatten()) {
                (Some(query), Some(stack)) => EncodedAnswer::of::<FlowsQuery>(Ok(&flows(&stack, asks(), &query).await)),
                _ => EncodedAnswer::refused("Only flow arrows are available in the view of all workers."),
            };
            // Closed if the asker was dropped.
            let _ = reply.send(Ok(answer));
        }
    });
    ask
}

/// The arrows of the window, of every worker that answers; each may draw its part of them.
async fn flows(stack: &Stack, asks: Vec<Ask>, query: &FlowsQuery) -> Flows {
    let limit = query.limit / (asks.len() as u32).max(1);
    let mut found = Vec::new();
    for (at, ask) in asks.into_iter().enumerate() {
        let own = FlowsQuery { window: stack.range_out(at, query.window), limit, ..query.clone() };
        if let Ok(flows) = ask.ask(own).await {
            found.push((at, flows));
        }
    }
    stack.join_flows(&found)
}

/// A worker's answer about a column to colour by; `None` if it has no such column.
pub async fn colours(ask: &Ask, by: &str) -> Option<Colours> {
    let query = OperatorsQuery { group_by: by.into(), ..OperatorsQuery::default() };
    let Ok(ColourKeys { slots: keys }) = ask.ask(ColourKeysQuery { by: by.into() }).await else { return None };
    if by == DURATION.0 {
        return Some(Colours { keys, values: Vec::new() });
    }
    let Ok(operators) = ask.ask(query).await else { return None };
    Some(Colours { keys, values: operators.rows.into_iter().map(|r| (r.name, r.colour)).collect() })
}
