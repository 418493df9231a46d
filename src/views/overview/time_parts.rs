//! Where the time of a step went: the categories without overlap in any order, and kernel time by operator or kernel.

use crate::analysis::combinations::in_order;
use crate::analysis::torch::overview::{Category, KernelShare, Overview};
use crate::state::choices::ViewState;
use crate::ui::breakdown::{Breakdown, Share};
use crate::ui::palette::fixed;
use crate::ui::table::Kind;
use crate::views::part_order;
use crate::views::query::QueryState;
use leptos::prelude::*;

/// Categories that can be moved: all except the remaining time of the step.
const IDS: [&str; 7] = ["kernel", "memcpy", "memset", "communication", "runtime", "data-loader", "cpu-exec"];

/// The parts of a mean step in the chosen order; the remaining time is last.
pub fn parts(overview: &Overview, order: &str) -> Vec<Share> {
    let n = overview.steps.len().max(1) as f64;
    let order = part_order::positions(order, &IDS);
    let sets: Vec<u32> = order.iter().map(|at| *at as u32).collect();
    let times = if overview.combinations.is_empty() { Vec::new() } else { in_order(&overview.combinations, &sets) };
    let categories = order.iter().map(|at| Category::ALL[*at]).chain([Category::Other]);
    let part = |(category, time): (Category, crate::base::DurationNs)| Share {
        name: category.label().into(),
        colour: super::rows::colour(category),
        value: time.0 as f64 / n,
        help: category.definition().into(),
        is_movable: category != Category::Other,
    };
    // A category that the trace does not record is no part.
    let is_recorded = |s: &Share| {
        let is_it = |r: &&crate::analysis::torch::overview::SummaryRow| r.category.label() == s.name;
        s.value > 0.0 || overview.summary.iter().find(is_it).is_none_or(|r| r.is_recorded)
    };
    categories.zip(times).map(part).filter(is_recorded).collect()
}

/// Kernel time of a mean step by name.
pub fn kernel_parts(overview: &Overview, all: &[KernelShare]) -> Vec<Share> {
    let n = overview.steps.len().max(1) as f64;
    let part = |k: &KernelShare| Share {
        name: k.name.clone(),
        colour: k.colour.unwrap_or(fixed::OTHER),
        value: k.time.0 as f64 / n,
        ..Share::default()
    };
    all.iter().map(part).collect()
}

/// Position in [`IDS`]' order of each listed part, where categories are missing.
fn place(parts: &[Share], order: &str, at: usize) -> Option<usize> {
    let name = &parts.get(at)?.name;
    part_order::positions(order, &IDS).iter().position(|i| Category::ALL[*i].label() == name)
}

/// Bars of the mean step.
#[component]
pub(super) fn TimeParts(overview: QueryState<Overview>, choices: ViewState) -> impl IntoView {
    let order = choices.choice("order", String::new());
    let by = choices.choice("kernel-time", String::from("operator"));
    let shares = overview.derive(move |o| parts(o, &order.0.get()));
    let on_move = Callback::new(move |(from, to): (usize, usize)| {
        let text = order.0.get_untracked();
        let all = shares.get_untracked();
        if let Some(places) = place(&all, &text, from).zip(place(&all, &text, to)) {
            order.1.set(part_order::moved(&text, &IDS, places));
        }
    });
    let kernels =
        overview.derive(move |o| kernel_parts(o, if by.0.with(|b| b == "kernel") { &o.kernel_names } else { &o.kernel_operators }));
    let has_parts = move || shares.with(|s| !s.is_empty());
    let has_kernels = move || kernels.with(|k| !k.is_empty());
    view! {
        <Show when=has_parts>
            <section class="overview__part" data-part="time-parts">
                <Breakdown
                    id="step-parts" title="Where the time of a mean step went: every instant counts for the first active category in this order" kind=Kind::Duration
                    parts=shares on_move=Some(on_move) empty="The steps have no length."
                />
                <Show when=has_kernels>
                    <label class="field">
                        "Kernel time by"
                        <select class="select" data-field="kernel-time" on:change:target=move |e| by.1.set(e.target().value())>
                            <option value="operator" selected=move || by.0.with(|b| b != "kernel")>"Operator"</option>
                            <option value="kernel" selected=move || by.0.with(|b| b == "kernel")>"Kernel"</option>
                        </select>
                    </label>
                    <Breakdown
                        id="kernel-parts" title="Kernel time of a mean step: where kernels overlap, the first to start counts" kind=Kind::Duration
                        parts=kernels on_move=None empty="No kernel ran."
                    />
                </Show>
            </section>
        </Show>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::torch::overview::SummaryRow;
    use crate::base::DurationNs;

    fn overview() -> Overview {
        let row = |category| SummaryRow { category, mean_ns: 0.0, share: 0.0, is_recorded: category != Category::Communication };
        Overview {
            combinations: vec![(0, DurationNs(5)), (1, DurationNs(40)), (1 | 16, DurationNs(30)), (16, DurationNs(25))],
            summary: Category::ALL.into_iter().map(row).collect(),
            ..Overview::default()
        }
    }

    #[test]
    fn categories_sum_to_the_step_in_any_order() {
        let found = overview();
        let of = |order: &str, name: &str| parts(&found, order).into_iter().find(|p| p.name == name).map(|p| p.value);
        assert_eq!((of("", "Kernel"), of("", "Runtime"), of("", "Other")), (Some(70.0), Some(25.0), Some(5.0)));
        assert_eq!((of("runtime", "Kernel"), of("runtime", "Runtime")), (Some(40.0), Some(55.0)));
        for order in ["", "runtime", "cpu-exec,runtime,kernel"] {
            assert_eq!(parts(&found, order).iter().map(|p| p.value).sum::<f64>(), 100.0);
        }
        assert_eq!(of("", "Communication"), None, "not recorded is no part");
        assert!(parts(&Overview::default(), "").is_empty());
    }

    #[test]
    fn a_place_counts_categories_that_are_not_listed() {
        let all = parts(&overview(), "");
        let runtime = all.iter().position(|p| p.name == "Runtime").unwrap();
        assert_eq!((runtime, place(&all, "", runtime)), (3, Some(4)));
        assert_eq!(place(&all, "", 99), None);
    }
}
