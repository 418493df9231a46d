//! The other ends of a slice's arrows, grouped by what the arrows mean, the closest in time first.

use crate::base::Order as _;
use crate::base::{DurationNs, SliceId, text};
use crate::engine::query::Neighbour;
use leptos::prelude::*;

/// Neighbours listed per group; further ones are only counted.
const MOST: usize = 100;

/// Label and description of a kind of dependency.
fn kind_label(kind: &str) -> (String, &'static str) {
    match kind {
        "FLOW_DEPENDENCE" => ("Flow".into(), "The later instruction reads what the earlier one wrote"),
        "ANTI_DEPENDENCE" => ("Anti".into(), "The later instruction overwrites what the earlier one read"),
        "OUTPUT_DEPENDENCE" => ("Output".into(), "The later instruction overwrites what the earlier one wrote"),
        "ORDERED" => ("Ordered".into(), "The program enforces this order"),
        "FLOW" => ("Flow".into(), "Flows of the file; their kinds are not recorded"),
        "writes what this reads" => ("Data".into(), "Wrote addresses that this instruction reads"),
        "reads what this writes" => ("Data".into(), "Reads addresses that this instruction wrote"),
        "starts this transfer" => ("Transfer".into(), "The instruction that asked for the transfer of this packet"),
        _ => (kind.to_string(), ""),
    }
}

/// Neighbours by kind, in the order first seen; each by the time between, shortest first.
fn grouped(rows: Vec<Neighbour>) -> Vec<(String, Vec<Neighbour>)> {
    let mut out: Vec<(String, Vec<Neighbour>)> = Vec::new();
    for row in rows {
        match out.iter_mut().find(|g| g.0 == row.kind) {
            Some(group) => group.1.push(row),
            None => out.push((row.kind.clone(), vec![row])),
        }
    }
    out.order_by_key(|g| std::cmp::Reverse(g.1.len()));
    out.iter_mut().for_each(|g| g.1.order_by_key(|n| n.gap_ns));
    out
}

/// The time between two slices.
fn gap(ns: i64) -> String {
    if ns < 0 {
        format!("overlaps by {}", text::duration(DurationNs(ns.saturating_neg())))
    } else {
        format!("gap {}", text::duration(DurationNs(ns)))
    }
}

/// The neighbours of one side; absent without any. What holds a slice has no kind, and keeps its order.
#[component]
pub(super) fn Neighbours(#[prop(into)] title: String, rows: Vec<Neighbour>, on_go: Callback<SliceId>) -> impl IntoView {
    if rows.is_empty() {
        return ().into_any();
    }
    let item = move |n: Neighbour| {
        let has_gap = !n.kind.is_empty();
        let row = n.track.rsplit(" / ").next().unwrap_or_default().to_string();
        let note = if has_gap { format!("{row} · {}", gap(n.gap_ns)) } else { String::new() };
        view! {
            <li>
                <button class="link mono" data-neighbour=n.slice.0.to_string() title=n.track.clone() on:click=move |_| on_go.run(n.slice)>
                    {text::brief(&n.name)}
                </button>
                <span class="drawer__gap">{note}</span>
            </li>
        }
    };
    let list = move |rows: Vec<Neighbour>| {
        let more = rows.len().saturating_sub(MOST);
        let more = (more > 0).then(|| view! { <li class="drawer__gap">{format!("and {} more", text::count(more as u64))}</li> });
        view! { <ul class="drawer__list">{rows.into_iter().take(MOST).map(item).collect_view()}{more}</ul> }
    };
    let content = if rows.iter().all(|n| n.kind.is_empty()) {
        list(rows).into_any()
    } else {
        let group = move |(kind, rows): (String, Vec<Neighbour>)| {
            let ((label, meaning), n) = (kind_label(&kind), text::count(rows.len() as u64));
            view! { <h4 class="drawer__subtitle" data-kind=kind title=meaning>{label}" · "{n}</h4>{list(rows)} }
        };
        grouped(rows).into_iter().map(group).collect_view().into_any()
    };
    let part = title.to_lowercase();
    view! { <section class="facts" data-part=part><h3>{title}</h3>{content}</section> }.into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_by_kind_and_the_closest_comes_first() {
        let row = |slice, kind: &str, gap_ns| Neighbour {
            slice: SliceId(slice),
            name: String::new(),
            track: String::new(),
            kind: kind.into(),
            gap_ns,
        };
        let got = grouped(vec![row(1, "ORDERED", 5), row(2, "FLOW_DEPENDENCE", 90), row(3, "FLOW_DEPENDENCE", -4)]);
        let listed: Vec<(&str, Vec<u32>)> = got.iter().map(|g| (g.0.as_str(), g.1.iter().map(|n| n.slice.0).collect())).collect();
        assert_eq!(listed, [("FLOW_DEPENDENCE", vec![3, 2]), ("ORDERED", vec![1])]);
        assert_eq!((gap(-4), gap(90)), ("overlaps by 4 ns".into(), "gap 90 ns".into()));
    }
}
