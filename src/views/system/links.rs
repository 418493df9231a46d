//! From an execution to the device profiles that are open beside it.

use super::devices::{Device, is_of};
use crate::analysis::system::ExecutionRow;
use crate::base::{DurationNs, SliceId, text};
use crate::engine::query::ExecutionQuery;
use crate::views::query::use_query;
use crate::worker::client::Ask;
use leptos::prelude::*;

/// A button for each open device profile; those named by the execution are first and marked.
#[component]
pub(super) fn DeviceLinks(
    /// The execution, or several of one model.
    row: ExecutionRow,
    /// Open device profiles.
    devices: Signal<Vec<Device>>,
    /// Opens one of them.
    on_device: Callback<(u32, SliceId)>,
) -> impl IntoView {
    let first = row.slices.first().copied();
    move || {
        let all = devices.get();
        if all.is_empty() {
            return view! { <p class="system__text">"Open the device profile of this model (NTFF and NEFF, JSON or Parquet) to go from an execution to its instructions."</p> }.into_any();
        }
        let (own, others): (Vec<Device>, Vec<Device>) = all.into_iter().partition(|d| is_of(&d.words, &row));
        let mean = row.total.0 / i64::try_from(row.calls).unwrap_or(i64::MAX).max(1);
        let link = |d: Device, is_own: bool| {
            let lengths = format!("device window {}, mean call {}", text::duration(d.range.duration()), text::duration(DurationNs(mean)));
            let words = if is_own { "Open its device profile" } else { "Open" };
            let id = d.id;
            first.map(|slice| {
                view! {
                    <li>
                        <button type="button" class="button" data-device=d.title.clone() data-own=is_own.to_string() on:click=move |_| on_device.run((id, slice))>
                            {format!("{words} {}", d.title)}
                        </button>
                        <span class="summary__label">" "{lengths}</span>
                    </li>
                }
            })
        };
        let has_own = !own.is_empty();
        let list = own.into_iter().map(|d| link(d, true)).chain(others.into_iter().map(|d| link(d, false))).collect_view();
        let note =
            (!has_own).then(|| view! { <p class="system__text">"No open device profile belongs to this model. Open device profiles:"</p> });
        view! { {note}<ul class="system__links">{list}</ul> }.into_any()
    }
}

/// Links from an execution whose details are shown; absent for other slices.
#[component]
pub fn ExecutionLinks(
    /// Answers for the system profile.
    ask: Ask,
    /// The slice.
    #[prop(into)]
    slice: Signal<Option<SliceId>>,
    /// Open device profiles.
    devices: Signal<Vec<Device>>,
    /// Opens one of them.
    on_device: Callback<(u32, SliceId)>,
) -> impl IntoView {
    let query = Signal::derive(move || slice.get().map(|s| ExecutionQuery { slice: s }));
    let found = use_query(ask, query);
    move || {
        let row = found.value.with(|row| row.as_ref().and_then(|row| row.as_ref().clone()))?;
        // The previous answer is kept until the next one; it is for another slice.
        let is_shown = row.slices.first().copied() == slice.get();
        is_shown.then(|| view! { <div class="system__detail" data-part="device-links"><DeviceLinks row devices on_device /></div> })
    }
}
