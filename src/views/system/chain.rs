//! What the selected event depends on and what depends on it.

use super::{SystemActions, rows};
use crate::analysis::system::Chain;
use crate::base::SliceId;
use crate::engine::query::ChainQuery;
use crate::ui::controls::Problem;
use crate::ui::table::Table;
use crate::views::query::use_query;
use crate::worker::client::Ask;
use leptos::prelude::*;
use std::sync::Arc;

/// Two tables: upstream and downstream.
#[component]
pub(super) fn ChainPart(ask: Ask, selection: Signal<Option<SliceId>>, ways: SystemActions) -> impl IntoView {
    let query = Signal::derive(move || selection.get().map(|s| ChainQuery { slice: s }));
    let found = use_query(ask, query);
    let title = move || found.value.get().map(|c| rows::chain_title(&c));
    let columns = Signal::stored(Arc::new(rows::chain_columns()));
    let go = move |list: fn(&Chain) -> Option<&Vec<crate::analysis::system::ChainRow>>| {
        Callback::new(move |at: usize| {
            let slice = found.value.with_untracked(|c| c.as_ref().and_then(|c| list(c)?.get(at).map(|r| r.slice)));
            if let Some(slice) = slice {
                ways.on_slice.run((slice, vec![slice]));
            }
        })
    };
    let (up, down) = (go(|c| Some(&c.upstream)), go(|c| Some(&c.downstream)));
    let (upstream, downstream) = (found.derive(|c| rows::chain(&c.upstream)), found.derive(|c| rows::chain(&c.downstream)));
    view! {
        <section class="system__part" data-part="chain">
            <h2>"Dependency chain of the selected event"</h2>
            <Problem text=found.problem />
            <Show when=move || selection.get().is_some() fallback=|| view! { <p class="waiting">"Select an event in the timeline to see its predecessors and successors."</p> }>
                <p class="system__text" data-chain>{title}</p>
                <div class="system__pair">
                    <div class="system__part">
                        <h3>"Upstream events"</h3>
                        <Table id="upstream" label="Upstream events" columns rows=upstream on_row=up empty="No predecessors." />
                    </div>
                    <div class="system__part">
                        <h3>"Downstream events"</h3>
                        <Table id="downstream" label="Downstream events" columns rows=downstream on_row=down empty="No successors." />
                    </div>
                </div>
            </Show>
        </section>
    }
}
