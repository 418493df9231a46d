//! The parts of a bar, and slices that run at the same time.

use super::LogContext;
use crate::analysis::neuron_log::{LogOverlap, Member, Overlapping};
use crate::base::{SliceId, text};
use crate::engine::query::LogOverlapQuery;
use crate::ui::controls::Problem;
use crate::views::query::use_query;
use leptos::prelude::*;

/// More overlapping bars than these are counted, not listed.
const N_LISTED: usize = 12;

/// Members of a fused bar and the bars over it.
#[component]
pub(super) fn Overlap(context: LogContext, slice: Signal<Option<SliceId>>, is_timeline: bool) -> impl IntoView {
    let query = Signal::derive(move || slice.get().map(|s| LogOverlapQuery { slice: s }));
    let found = use_query(context.ask.clone(), query);
    let go = if is_timeline { context.on_slice } else { context.on_timeline };
    let body = move || {
        found.value.get().map(|o| {
            let title = is_timeline.then(|| view! { <p><strong class="mono">{o.name.clone()}</strong></p> });
            view! { {title} <Members found=(*o).clone() go /> <Bars found=(*o).clone() go /> }
        })
    };
    view! { <Problem text=found.problem /> <div data-overlap="">{body}</div> }
}

#[component]
fn Members(found: LogOverlap, go: Callback<(SliceId, Vec<SliceId>)>) -> impl IntoView {
    let all: Vec<SliceId> = found.members.iter().filter_map(|m| m.slice).collect();
    let item = |m: &Member| {
        let all = all.clone();
        let place = match m.slice {
            Some(slice) => view! {
                <button type="button" class="link" data-member=m.name.clone() title=m.track.clone() on:click=move |_| go.run((slice, all.clone()))>{m.path.clone()}</button>
            }
            .into_any(),
            None => view! { <span data-member=m.name.clone()>{m.path.clone()}" · not on the timeline: inside another operation"</span> }.into_any(),
        };
        view! { <li class="mono" style:margin-left=format!("{}px", 16 * m.depth)>{place}</li> }
    };
    let items = found.members.iter().map(item).collect_view();
    (!found.members.is_empty()).then(|| view! { <h3>"Fused members"</h3><ul class="neuronlog__list">{items}</ul> })
}

#[component]
fn Bars(found: LogOverlap, go: Callback<(SliceId, Vec<SliceId>)>) -> impl IntoView {
    let n = found.overlapping.len();
    let item = |o: &Overlapping| {
        let slice = o.slice;
        let share = o.share.map(|s| format!(", {} of it", text::percent(s))).unwrap_or_default();
        let note = format!(" {} shared{share} · {}", text::duration(o.overlap), o.track);
        view! { <li><button type="button" class="link mono" on:click=move |_| go.run((slice, vec![slice]))>{o.name.clone()}</button>{note}</li> }
    };
    let items = found.overlapping.iter().take(N_LISTED).map(item).collect_view();
    let more = n.checked_sub(N_LISTED).filter(|m| *m > 0).map(|m| view! { <li>{format!("and {m} more")}</li> });
    let sentence = if n == 0 { "No operator runs at the same time." } else { "Operators that run at the same time" };
    view! { <h3>{sentence}</h3><ul class="neuronlog__list">{items}{more}</ul> }
}
