//! The transfers of a merged bar, at the head of the details of the first one.

use crate::analysis::device::DmaRowsQuery;
use crate::analysis::device::MergedBar;
use crate::analysis::device::transfers::dma_rows::DmaDetail;
use crate::base::{DurationNs, SliceId, text};
use crate::engine::query::MergedBarQuery;
use crate::views::query::{QueryState, use_query};
use crate::worker::client::Ask;
use leptos::prelude::*;

/// The bar that the selected transfer is merged into; absent where each is a bar of its own.
#[component]
pub fn MergedTransfers(
    /// Answers for the open profile.
    ask: Ask,
    /// The transfer.
    slice: SliceId,
    /// The grouping of transfers into rows.
    query: Signal<DmaRowsQuery>,
    /// Go to another slice.
    on_go: Callback<SliceId>,
) -> impl IntoView {
    let question = Signal::derive(move || {
        let query = query.get();
        (query.detail == DmaDetail::Merged).then_some(MergedBarQuery { rows: query, slice })
    });
    let bar: QueryState<Option<MergedBar>> = use_query(ask, question);
    let shown = move || {
        question.get()?;
        let bar = bar.value.get()?;
        bar.as_ref().as_ref().map(|bar| section(bar, on_go))
    };
    view! { {shown} }
}

fn section(bar: &MergedBar, on_go: Callback<SliceId>) -> impl IntoView + use<> {
    let rows = rows(bar)
        .into_iter()
        .map(|(key, value, help)| view! { <dt title=help>{key}</dt><dd class="mono"><span class="facts__value">{value}</span></dd> });
    let (first, last) = (bar.first, bar.last);
    view! {
        <section class="facts" data-part="merged">
            <h3>"Merged bar"</h3>
            <dl class="facts__list">
                {rows.collect_view()}
                <dt>"go to"</dt>
                <dd>
                    <button class="link" data-merged="first" on:click=move |_| on_go.run(first)>"first"</button>
                    " · "
                    <button class="link" data-merged="last" on:click=move |_| on_go.run(last)>"last"</button>
                </dd>
            </dl>
        </section>
    }
}

/// (what, value, help).
fn rows(bar: &MergedBar) -> Vec<(&'static str, String, &'static str)> {
    let missing = || "not available".to_string();
    let length = DurationNs(bar.end.0.saturating_sub(bar.start.0));
    let [least, mean, most] = bar.durations.map(text::duration);
    let many = |n: u64, one: &str, more: &str| format!("{} {}", text::count(n), if n == 1 { one } else { more });
    let mut out = vec![
        (
            "packets",
            text::count(bar.n),
            "Transfers in the file that this bar merges: transfers of one row and variable that overlap or touch.",
        ),
        ("bytes", bar.bytes.map_or_else(missing, text::bytes), "Sum over all packets without duplicates, which move no data."),
        (
            "rate",
            bar.rate.map_or_else(missing, |r| format!("{}/s", text::bytes(r as u64))),
            "Bytes ÷ time from the first start to the last end.",
        ),
        ("first starts", text::time_exact(bar.start.0), ""),
        ("last ends", text::time_exact(bar.end.0), ""),
        ("duration", text::duration(length), "From the first start to the last end."),
        ("time of a packet", format!("{least} · {mean} · {most}"), "Shortest, mean and longest."),
    ];
    if let Some((least, most)) = bar.sizes {
        let size = if least == most { text::bytes(least) } else { format!("{} to {}", text::bytes(least), text::bytes(most)) };
        out.push(("size of a packet", size, "Smallest and largest."));
    }
    if bar.n_duplicates > 0 {
        out.push(("duplicates", text::count(bar.n_duplicates), "Packets marked as duplicates in the file."));
    }
    if !bar.variable.is_empty() {
        out.push(("variable", bar.variable.clone(), "Transfers of other variables have separate bars."));
    }
    out.push(("row", bar.row.clone(), ""));
    out.push(("on", format!("{}, {}", many(bar.n_engines, "DMA engine", "DMA engines"), many(bar.n_queues, "queue", "queues")), ""));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::TimeNs;

    fn bar() -> MergedBar {
        MergedBar {
            row: "DMA-E64".into(),
            variable: "weights".into(),
            n: 16,
            bytes: Some(32_768),
            n_duplicates: 0,
            start: TimeNs(1000),
            end: TimeNs(3000),
            busy: DurationNs(2000),
            rate: Some(16.384e9),
            durations: [DurationNs(10), DurationNs(20), DurationNs(30)],
            sizes: Some((2048, 2048)),
            n_engines: 1,
            n_queues: 2,
            first: SliceId(4),
            last: SliceId(9),
        }
    }

    #[test]
    fn a_bar_shows_recorded_values_and_unrecorded_ones_are_not_zero() {
        let of = |bar: &MergedBar, key: &str| rows(bar).into_iter().find(|r| r.0 == key).map(|r| r.1);
        let recorded = bar();
        assert_eq!(of(&recorded, "packets").as_deref(), Some("16"));
        assert_eq!(of(&recorded, "size of a packet").as_deref(), Some("2.00 KiB"));
        assert_eq!(of(&recorded, "on").as_deref(), Some("1 DMA engine, 2 queues"));
        assert_eq!(of(&recorded, "duplicates"), None);
        let unrecorded = MergedBar { bytes: None, rate: None, sizes: None, ..bar() };
        assert_eq!(of(&unrecorded, "bytes").as_deref(), Some("not available"));
        assert_eq!(of(&unrecorded, "size of a packet"), None);
    }
}
