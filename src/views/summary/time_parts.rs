//! The time of a core by category: each instant counts once. The view Bounds has more.

use crate::analysis::device::bounds::{Bounds, BoundsQuery, CoreBounds};
use crate::base::TimeRange;
use crate::state::choices::ViewState;
use crate::ui::breakdown::{Breakdown, Share};
use crate::ui::controls::Problem;
use crate::ui::table::Kind;
use crate::views::engine_parts::{order, parts, reordered};
use crate::views::query::{QueryState, use_query};
use crate::worker::client::Ask;
use leptos::prelude::*;

/// The chosen core; of none, or one that did nothing, the first.
fn shown<'a>(bounds: &'a Bounds, core: &str) -> Option<&'a CoreBounds> {
    bounds.cores.iter().find(|c| c.core == core).or(bounds.cores.first())
}

/// The bar of one core.
#[component]
pub(super) fn TimeParts(ask: Ask, range: Signal<Option<TimeRange>>, choices: ViewState) -> impl IntoView {
    let (chosen, core) = (choices.choice("order", String::new()), choices.choice("core", String::new()).0);
    let query = Memo::new(move |_| BoundsQuery { range: range.get(), order: order(&chosen.0.get()) });
    let found: QueryState<Bounds> = use_query(ask, Signal::derive(move || Some(query.get())));
    let shares = found.derive(move |b| shown(b, &core.get()).map(parts).unwrap_or_default());
    let on_move = Callback::new(move |(from, to): (usize, usize)| {
        let text = found.value.with_untracked(|b| b.as_ref().and_then(|b| shown(b, &core.get_untracked()).map(|c| reordered(c, from, to))));
        if let Some(text) = text {
            chosen.1.set(text);
        }
    });
    let name = move || {
        let name =
            found.value.with(|b| b.as_ref().filter(|b| b.cores.len() > 1).and_then(|b| shown(b, &core.get()).map(|c| c.core.clone())));
        name.map(|name| format!("{name}. Choose another core below; the view Bounds has the overlaps and what the run could reach."))
    };
    let has_parts = move || shares.with(|s: &std::sync::Arc<Vec<Share>>| !s.is_empty());
    view! {
        <Problem text=found.problem />
        <Show when=has_parts>
            <section data-part="time-parts" aria-busy=move || found.is_waiting.get().to_string()>
                <Breakdown
                    id="exclusive" title="Where the time went: every instant counts for the first busy part in this order" kind=Kind::Duration
                    parts=shares on_move=Some(on_move) empty="This range has no length."
                />
                <p class="torch__hint">{name}</p>
            </section>
        </Show>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_core_that_is_not_there_is_the_first() {
        let core = |name: &str| CoreBounds { core: name.into(), ..crate::views::engine_parts::tests::core() };
        let bounds = Bounds { cores: vec![core("NC 4"), core("NC 5")], ..Bounds::default() };
        let name = |chosen| shown(&bounds, chosen).map(|c| c.core.as_str());
        assert_eq!((name("NC 5"), name(""), name("NC 9")), (Some("NC 5"), Some("NC 4"), Some("NC 4")));
        assert!(shown(&Bounds::default(), "").is_none());
    }
}
