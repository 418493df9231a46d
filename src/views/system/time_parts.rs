//! Where the time of a system profile went: device, runtime, framework and idle, in any order.

use crate::analysis::combinations::in_order;
use crate::analysis::system::System;
use crate::state::choices::ViewState;
use crate::ui::breakdown::{Breakdown, Share};
use crate::ui::palette::fixed;
use crate::ui::table::Kind;
use crate::views::part_order;
use crate::views::query::QueryState;
use leptos::prelude::*;

const IDS: [&str; 3] = ["device", "runtime", "framework"];

/// Name, colour and definition of each.
const PARTS: [(&str, u16, &str); 3] = [
    ("Device", fixed::KERNEL, "Time in which a model executes on any NeuronCore."),
    ("Runtime", fixed::RUNTIME, "Time in which the host runs a call of the Neuron runtime."),
    ("Framework", fixed::CPU_EXEC, "Time in which the host runs a call of the framework."),
];

/// The parts in an order; idle time is last.
pub fn parts(system: &System, order: &str) -> Vec<Share> {
    let order = part_order::positions(order, &IDS);
    let sets: Vec<u32> = order.iter().map(|at| *at as u32).collect();
    let times = in_order(&system.combinations, &sets);
    let named = order.iter().map(|at| (PARTS[*at], true));
    let idle = (("Idle", fixed::OTHER, "Time in which none of these is active."), false);
    let part = |(((name, colour, help), is_movable), time): (((&str, u16, &str), bool), crate::base::DurationNs)| Share {
        name: name.into(),
        colour,
        value: time.0 as f64,
        help: help.into(),
        is_movable,
    };
    named.chain([idle]).zip(times).map(part).collect()
}

/// The bar.
#[component]
pub(super) fn TimeParts(system: QueryState<System>, choices: ViewState) -> impl IntoView {
    let order = choices.choice("order", String::new());
    let shares = system.derive(move |s| parts(s, &order.0.get()));
    let on_move = Callback::new(move |places: (usize, usize)| order.1.set(part_order::moved(&order.0.get_untracked(), &IDS, places)));
    view! {
        <section data-part="time-parts">
            <Breakdown
                id="system-parts" title="Where the time went: every instant counts for the first active part in this order" kind=Kind::Duration
                parts=shares on_move=Some(on_move) empty="This range has no length."
            />
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::DurationNs;

    #[test]
    fn parts_sum_to_the_total_in_any_order() {
        let combinations = vec![(0, DurationNs(10)), (1, DurationNs(20)), (3, DurationNs(30)), (4, DurationNs(40))];
        let system = System { combinations, ..System::default() };
        let of = |order| parts(&system, order).into_iter().map(|p| (p.name, p.value)).collect::<Vec<_>>();
        let named = |all: [(&str, f64); 4]| all.map(|(n, v)| (n.to_string(), v)).to_vec();
        assert_eq!(of(""), named([("Device", 50.0), ("Runtime", 0.0), ("Framework", 40.0), ("Idle", 10.0)]));
        assert_eq!(of("runtime"), named([("Runtime", 30.0), ("Device", 20.0), ("Framework", 40.0), ("Idle", 10.0)]));
    }
}
