//! What changed on a physical core, in words: each sentence follows from values by a rule, with the values as its evidence.

use super::{CoreFacts, ExplainNode, ExplainUnit, Sentence};
use crate::analysis::device::bounds::Part;
use crate::base::Order as _;
use crate::base::{DurationNs, text};

/// A change of busy time below this share of the longer run is not a sentence.
const LEAST_SHARE: f64 = 0.01;

/// The sentences of a core: total, bottleneck, transfers, late products.
pub fn of_core(base: &CoreFacts, run: &CoreFacts, unit: &ExplainUnit) -> Vec<Sentence> {
    let Some(total) = unit.total() else { return Vec::new() };
    let least = LEAST_SHARE * longest(total) as f64;
    let mut out = vec![headline(unit, total, "exclusive")];
    out.extend(bottleneck(base, run));
    out.extend(transfers(base, run, least));
    out.extend(late_products(base, run, least));
    out
}

/// The longer of both times.
pub(super) fn longest(node: &ExplainNode) -> i64 {
    let time = |v: &Option<super::NodeValues>| v.map_or(0, |v| v.time.0);
    time(&node.base).max(time(&node.run))
}

/// A difference with its sign: `−11.1 µs`, `+0.5 µs`.
pub fn signed(ns: i64) -> String {
    let sign = if ns > 0 { "+" } else { "" };
    format!("{sign}{}", text::duration(DurationNs(ns)))
}

/// `59.5 µs → 38.6 µs`.
pub(super) fn both(a: i64, b: i64) -> String {
    format!("{} → {}", text::duration(DurationNs(a)), text::duration(DurationNs(b)))
}

/// How the total changed, and which part changed most in the same direction; `kind` is the kind of time of a part.
pub(super) fn headline(unit: &ExplainUnit, total: &ExplainNode, kind: &str) -> Sentence {
    let time = |v: &Option<super::NodeValues>| v.map_or(0, |v| v.time.0);
    let (a, b, delta) = (time(&total.base), time(&total.run), total.delta.0);
    let changed = unit.parts().filter(|p| longest(p) > 0);
    let evidence = changed.map(|p| format!("{}: {} ({})", p.name, both(time(&p.base), time(&p.run)), signed(p.delta.0))).collect();
    if delta == 0 {
        let same = unit.parts().all(|p| p.delta.0 == 0);
        let parts = if same { "no part differs" } else { "parts differ, their sum does not" };
        return Sentence { text: format!("Both take {}: {parts}.", text::duration(DurationNs(a))), evidence };
    }
    let word = if delta < 0 { "faster" } else { "slower" };
    let (short, long) = (a.min(b), a.max(b));
    let ratio = if short > 0 { format!(", {} ×", text::three_digits(long as f64 / short as f64)) } else { String::new() };
    let size = text::duration(DurationNs(delta.saturating_abs()));
    let largest = unit.parts().filter(|p| p.delta.0.signum() == delta.signum()).max_by_key(|p| p.delta.0.unsigned_abs());
    let most = largest.map_or(String::new(), |p| {
        let time = if p.name == "Idle" { "idle time".into() } else { format!("{kind} {} time", p.name) };
        let change = signed(p.delta.0);
        // Parts that change the other way make this one larger than the whole: a share would be over 100%.
        if p.delta.0.unsigned_abs() > delta.unsigned_abs() {
            let others = signed(delta.saturating_sub(p.delta.0));
            return format!(" Its largest part is {time} ({change}), partly offset by the other parts ({others}).");
        }
        format!(" {} of the difference is {time} ({change}).", text::percent(p.delta.0 as f64 / delta as f64))
    });
    Sentence { text: format!("{size} {word} ({}{ratio}).{most}", both(a, b)), evidence }
}

/// Which part is busy longest, and whether the products are the same.
fn bottleneck(base: &CoreFacts, run: &CoreFacts) -> Option<Sentence> {
    let busy = |of: &CoreFacts, part: Part| of.bounds.busy(part).unwrap_or_default();
    let (a, b) = (base.bounds.bottleneck?, run.bounds.bottleneck?);
    let (at_a, at_b) = (busy(base, a), busy(run, b));
    let moved = if a == b {
        format!("The bottleneck is {} in both ({} busy).", a.label(), both(at_a.0, at_b.0))
    } else {
        let (at_a, at_b) = (text::duration(at_a), text::duration(at_b));
        format!("The bottleneck moved from {} ({at_a} busy) to {} ({at_b} busy).", a.label(), b.label())
    };
    let line = |part: Part| {
        let (a, b) = (base.bounds.busy(part)?.0, run.bounds.busy(part)?.0);
        (a > 0 || b > 0).then(|| format!("{} busy: {} ({})", part.label(), both(a, b), signed(b.saturating_sub(a))))
    };
    let evidence = Part::ALL.into_iter().filter_map(line).collect();
    Some(Sentence { text: format!("{moved}{}", products(base, run)), evidence })
}

fn products(base: &CoreFacts, run: &CoreFacts) -> String {
    let Some((a, b)) = base.bounds.flops.zip(run.bounds.flops) else { return String::new() };
    let flops = |n: u64| text::flops(n as f64);
    match (base.n_products, run.n_products) {
        (0, 0) => String::new(),
        (m, n) if (m, a) == (n, b) => format!(" Matrix products are the same: {}, {}.", text::count(m), flops(a)),
        (m, n) => format!(" Matrix products differ: {} → {}, {} → {}.", text::count(m), text::count(n), flops(a), flops(b)),
    }
}

/// Moved bytes beyond inputs, outputs and weights.
fn reloaded(of: &CoreFacts) -> Option<u64> {
    Some(of.bounds.moved_bytes?.saturating_sub(of.necessary_bytes?))
}

/// Why the DMA is active longer or shorter: other bytes, and how many of the difference are spills or reloads; or other transfers.
fn transfers(base: &CoreFacts, run: &CoreFacts, least: f64) -> Option<Sentence> {
    let (busy_a, busy_b) = (base.bounds.busy(Part::Dma)?.0, run.bounds.busy(Part::Dma)?.0);
    let delta = busy_b.saturating_sub(busy_a);
    let (a, b) = (base.bounds.moved_bytes?, run.bounds.moved_bytes?);
    if a == b && (delta.unsigned_abs() as f64) < least.max(1.0) {
        return None;
    }
    let size = text::duration(DurationNs(delta.saturating_abs()));
    let active = match delta {
        0 => format!("DMA is active as long ({})", text::duration(DurationNs(busy_a))),
        d => format!("DMA is active {size} {} ({})", if d < 0 { "less" } else { "more" }, both(busy_a, busy_b)),
    };
    let mut evidence = vec![format!("Moved bytes: {} → {}", text::count(a), text::count(b)), packets(base, run)];
    let spills = reloaded(base).zip(reloaded(run));
    if let Some((x, y)) = spills {
        let necessary = |of: &CoreFacts| of.necessary_bytes.map(text::count).unwrap_or_default();
        evidence.push(format!("Inputs, outputs and weights, each once: {} → {} bytes", necessary(base), necessary(run)));
        evidence.push(format!("Spills and reloads (bytes beyond these): {} → {}", text::count(x), text::count(y)));
    }
    if let Some((x, y)) = base.spilled_bytes.zip(run.spilled_bytes) {
        evidence.push(format!("Spills and reloads recorded with instructions: {} → {} bytes", text::count(x), text::count(y)));
    }
    evidence.extend(queue_types(base, run));
    let text = if a == b {
        format!("{active} with the same {} bytes: {}.", text::count(a), packets(base, run).to_lowercase())
    } else {
        let word = if b < a { "fewer" } else { "more" };
        let all = spills.or(base.spilled_bytes.zip(run.spilled_bytes)).map_or(String::new(), |(x, y)| of_spills((a, b), (x, y)));
        format!("{active}: {} {word} bytes are moved ({} → {}){all}.", text::count(a.abs_diff(b)), text::count(a), text::count(b))
    };
    Some(Sentence { text, evidence })
}

/// How many of the bytes by which two runs differ are spills or reloads.
fn of_spills((a, b): (u64, u64), (x, y): (u64, u64)) -> String {
    let (moved, spilled) = (a.abs_diff(b), x.abs_diff(y));
    let is_same_way = (a < b) == (x < y) && spilled > 0;
    match spilled {
        _ if !is_same_way => ", none as spills or reloads".into(),
        s if s == moved => ", all spills or reloads".into(),
        s if s < moved => format!(", {} as spills or reloads", text::count(s)),
        _ => format!("; spills and reloads {} → {}", text::count(x), text::count(y)),
    }
}

fn packets(base: &CoreFacts, run: &CoreFacts) -> String {
    let mean = |of: &CoreFacts| of.bounds.moved_bytes.filter(|_| of.bounds.moves > 0).map(|b| text::bytes(b / of.bounds.moves));
    let mean = |of: &CoreFacts| mean(of).unwrap_or_else(|| "none".into());
    let (m, n) = (text::count(base.bounds.moves), text::count(run.bounds.moves));
    format!("Transfers: {m} → {n}, mean size {} → {}", mean(base), mean(run))
}

fn queue_types(base: &CoreFacts, run: &CoreFacts) -> Vec<String> {
    let time = |of: &CoreFacts, name: &str| of.bounds.queue_types.iter().find(|q| q.0 == name).map_or(0, |q| q.1.0);
    let mut names: Vec<&String> = base.bounds.queue_types.iter().chain(&run.bounds.queue_types).map(|q| &q.0).collect();
    names.order();
    names.dedup();
    names.into_iter().map(|name| format!("Queues of type {name} busy: {}", both(time(base, name), time(run, name)))).collect()
}

/// How much later products start than the Tensor engine could start them.
fn late_products(base: &CoreFacts, run: &CoreFacts, least: f64) -> Option<Sentence> {
    let (a, b) = base.bounds.excess_interval_ns.zip(run.bounds.excess_interval_ns)?;
    if (a - b).abs() < least.max(1.0) {
        return None;
    }
    let word = if b < a { "shorter" } else { "longer" };
    let size = text::duration(DurationNs((a - b).abs() as i64));
    let text = format!("Delays between matrix products are {size} {word} in total ({}).", both(a as i64, b as i64));
    let evidence = vec![
        "Sum over products of: start of the next product − start of this one − its passes × columns ÷ clock".into(),
        format!("Products: {} → {}", text::count(base.n_products), text::count(run.n_products)),
    ];
    Some(Sentence { text, evidence })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_differ_are_named() {
        assert_eq!(of_spills((10, 4), (6, 0)), ", all spills or reloads");
        assert_eq!(of_spills((10, 4), (8, 4)), ", 4 as spills or reloads");
        assert_eq!(of_spills((4, 10), (0, 6)), ", all spills or reloads");
        assert_eq!(of_spills((10, 4), (0, 0)), ", none as spills or reloads");
        assert_eq!(of_spills((10, 4), (0, 3)), ", none as spills or reloads");
        assert_eq!(of_spills((10, 4), (9, 1)), "; spills and reloads 9 → 1");
    }

    fn unit(deltas: &[(&str, i64)]) -> ExplainUnit {
        let values = |ns: i64| Some(super::super::NodeValues { time: DurationNs(ns), count: 1.0, bytes: None });
        let node = |name: &str, parent, base: i64, delta: i64| ExplainNode {
            name: name.into(),
            parent,
            base: values(base),
            run: values(base + delta),
            delta: DurationNs(delta),
            ..ExplainNode::default()
        };
        let sum = deltas.iter().map(|d| d.1).sum();
        let mut nodes = vec![node("Total", None, 1_000 * deltas.len() as i64, sum)];
        nodes.extend(deltas.iter().map(|(name, delta)| node(name, Some(0), 1_000, *delta)));
        ExplainUnit { nodes, ..ExplainUnit::default() }
    }

    #[test]
    fn parts_of_opposite_signs_are_no_share_over_all() {
        let sentence = |deltas: &[(&str, i64)]| {
            let unit = unit(deltas);
            headline(&unit, &unit.nodes[0], "exclusive").text
        };
        let both = sentence(&[("DMA", -600), ("Tensor", -200)]);
        assert!(both.ends_with(" 75.0% of the difference is exclusive DMA time (−600 ns)."), "{both}");
        let opposite = sentence(&[("DMA", -795), ("Tensor", 295)]);
        assert!(
            opposite.ends_with(" Its largest part is exclusive DMA time (−795 ns), partly offset by the other parts (+295 ns)."),
            "{opposite}"
        );
        assert!(sentence(&[("Idle", 500), ("Tensor", -200)]).contains("partly offset by the other parts (−200 ns)"));
    }

    #[test]
    fn differences_have_signs() {
        assert_eq!((signed(1500), signed(-1500), signed(0)), ("+1.50 µs".into(), "−1.50 µs".into(), "0 ns".into()));
    }
}
