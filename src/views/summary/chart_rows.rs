//! The charts of the summary as bars, slices, dots and boxes.

pub use crate::analysis::device::charts::Charts;
use crate::analysis::device::charts::{BoxFigures, EngineSplit, MemorySource, Operation};
use crate::base::{Order as _, text};
use crate::ui::bars::{Bar, Series};
use crate::ui::boxes::Boxed;
use crate::ui::palette::fixed;
use crate::ui::pie::Slice;
use crate::ui::scatter::Dot;
use crate::ui::table::order::natural;

/// Whether something of `core` is shown where `chosen` is; empty is all.
pub(super) fn is_of(core: &str, chosen: &str) -> bool {
    chosen.is_empty() || core == chosen
}

/// Cores that can be chosen: those known before, those of this answer, and the chosen one, which may do nothing in a range.
pub fn known_cores(before: &[String], now: &[String], chosen: &str) -> Vec<String> {
    let mut out = before.to_vec();
    let chosen = (!chosen.is_empty()).then(|| chosen.to_string());
    for core in now.iter().chain(&chosen) {
        if !out.contains(core) {
            out.push(core.clone());
        }
    }
    out.order_by(|a, b| natural(a, b));
    out
}

/// The hardware of the run. A clock of 0 is not recorded.
pub fn system(charts: &Charts) -> Vec<(String, String)> {
    let fact = |(name, value): &(String, String)| {
        let is_placeholder = name.to_lowercase().contains("clock") && value.trim().parse::<f64>().is_ok_and(|v| v == 0.0);
        (name.clone(), if is_placeholder { "not recorded".into() } else { value.clone() })
    };
    charts.system.iter().map(fact).collect()
}

/// Parts of an engine's time, from the ground up; throttling only where it is recorded.
pub fn split_series(charts: &Charts) -> Vec<Series> {
    let series = |name: &str, colour, help: &str| Series { name: name.into(), colour, help: help.into() };
    let mut out = Vec::new();
    if records_flops(charts) {
        out.push(series("Model FLOPs", fixed::KERNEL, "Useful FLOPs as a share of the BF16 peak of the core in this time."));
        out.push(series("Transposes", fixed::RUNTIME, "FLOPs of transposes as a share of the same peak."));
    }
    out.push(series(
        "Active",
        fixed::OVERLAP,
        "Time in which the engine ran instructions other than semaphore waits, minus the two shares above.",
    ));
    let is_recorded = charts.engines.iter().any(|e| e.active_throttled.is_some());
    out.extend(
        is_recorded.then(|| series("Active, throttled", fixed::COMMUNICATION, "Active time under a throttling limit × the lost fraction.")),
    );
    out.push(series("Unused", fixed::OTHER, "Time in which the engine was idle or waited for a semaphore."));
    out.extend(
        is_recorded.then(|| series("Unused, throttled", fixed::MEMCPY, "Unused time under a throttling limit × the lost fraction.")),
    );
    out
}

/// Whether any engine's work is given as a share of what is possible.
fn records_flops(charts: &Charts) -> bool {
    charts.engines.iter().any(|e| e.model.is_some())
}

/// A bar for each engine of the chosen core.
pub fn split_bars(charts: &Charts, core: &str) -> Vec<Bar> {
    let has_flops = records_flops(charts);
    let is_recorded = charts.engines.iter().any(|e| e.active_throttled.is_some());
    let bar = |e: &EngineSplit| {
        let part = |share: Option<f64>| share.unwrap_or(f64::NAN);
        let mut values = if has_flops { vec![part(e.model), part(e.transpose)] } else { Vec::new() };
        values.push(e.active);
        values.extend(is_recorded.then_some(part(e.active_throttled)));
        values.push(e.unused);
        values.extend(is_recorded.then_some(part(e.unused_throttled)));
        Bar { name: e.engine.clone(), group: e.core.clone(), values, note: format!("Active {}", text::duration(e.busy)) }
    };
    charts.engines.iter().filter(|e| is_of(&e.core, core)).map(bar).collect()
}

/// Where instructions come from.
pub fn origin_series() -> Vec<Series> {
    let series = |name: &str, colour, help: &str| Series { name: name.into(), colour, help: help.into() };
    vec![
        series(
            "Source line",
            fixed::KERNEL,
            "Instructions with a source line, such as those of NKI kernels. Not available if the file records no source lines.",
        ),
        series("Compiler", fixed::COMMUNICATION, "Instructions without a source line; all instructions if the file records no debug info."),
        series("Runtime", fixed::OTHER, "Instructions without debug info: added by the runtime."),
    ]
}

/// A bar for each engine of the chosen core.
pub fn origin_bars(charts: &Charts, core: &str) -> Vec<Bar> {
    let bar = |e: &EngineSplit| {
        let o = e.origins;
        let values = [o.source, Some(o.compiler), o.runtime].map(|n| n.map_or(f64::NAN, |n| n as f64));
        let opcodes: Vec<String> = e.opcodes.iter().map(|(name, n)| format!("{name} {}", text::count(*n))).collect();
        let note = if opcodes.is_empty() { String::new() } else { format!("Most frequent: {}", opcodes.join(", ")) };
        Bar { name: e.engine.clone(), group: e.core.clone(), values: values.into(), note }
    };
    charts.engines.iter().filter(|e| is_of(&e.core, core)).map(bar).collect()
}

/// Bytes from and to HBM, and the unused bandwidth.
pub fn memory_slices(charts: &Charts) -> Vec<Slice> {
    let Some(m) = &charts.memory else { return Vec::new() };
    let slice = |name: &str, bytes: u64, colour| Slice { name: name.into(), value: i64::try_from(bytes).unwrap_or(i64::MAX), colour };
    let mut out = match m.source {
        MemorySource::Transfers => vec![slice("Transferred by DMA", m.moved_by_dma, fixed::KERNEL)],
        _ => vec![slice("Read", m.read, fixed::KERNEL), slice("Written", m.written, fixed::OVERLAP)],
    };
    match m.spilled.zip(m.reloaded) {
        Some((all, reloaded)) => {
            out.push(slice("Spills reloaded", reloaded, fixed::COMMUNICATION));
            out.push(slice("Spills saved", all.saturating_sub(reloaded), fixed::MEMSET));
        }
        None => out.extend(m.spilled.map(|n| slice("Spilled and reloaded", n, fixed::COMMUNICATION))),
    }
    out.extend(m.unused().map(|n| slice("Unused", n, fixed::OTHER)));
    out
}

/// Values below the doughnut: (name, value).
pub fn memory_facts(charts: &Charts) -> Vec<(String, String)> {
    let not_available = || "not available".to_string();
    let mean = charts.transfer_mean.map_or_else(not_available, |m| {
        let of = if m.is_of_file { "" } else { ", of the rows" };
        format!("{}{of}", text::bytes(m.bytes.round() as u64))
    });
    let useful = charts.memory.as_ref().and_then(|m| m.useful_read).map_or_else(not_available, text::percent);
    vec![("Average DMA size".into(), mean), ("Useful share of bytes read from HBM".into(), useful)]
}

/// The doughnut in a sentence.
pub fn memory_line(charts: &Charts) -> String {
    let Some(m) = &charts.memory else { return String::new() };
    let used = m.available.filter(|a| *a > 0).map(|a| {
        format!("{} of {}, the capacity of one HBM stack in this time. ", text::percent(m.moved() as f64 / a as f64), text::bytes(a))
    });
    let from = match m.source {
        MemorySource::File => "Sums recorded in the file.",
        MemorySource::Instructions => "Sums of the instructions that start in this range.",
        MemorySource::Transfers => {
            "Bytes of the transfers in this time, without instruction fetches. Instructions record HBM bytes when they start a \
             transfer, not when it runs, so reads, writes and spills are not separated."
        }
    };
    let is_open = m.spilled.is_none() && m.source != MemorySource::Transfers;
    let spills = if is_open { " Spills are not separated." } else { "" };
    format!("{}{from}{spills}", used.unwrap_or_default())
}

/// Names in order, each once: a name's place is its colour.
pub(super) fn names<'a>(all: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut out: Vec<&str> = all.collect();
    out.order();
    out.dedup();
    out
}

/// Place of a name.
pub(super) fn colour(names: &[&str], name: &str) -> u16 {
    names.iter().position(|n| *n == name).unwrap_or(0) as u16
}

/// Name of an operation without its size.
fn operation_name(o: &Operation) -> &str {
    o.group.split(' ').next().unwrap_or_default()
}

/// Operations with a known size, with that size, in the order of the answer.
pub fn sized_operations(charts: &Charts) -> impl Iterator<Item = (&Operation, u64)> {
    charts.operations.iter().filter_map(|o| Some((o, o.bytes?)))
}

/// A dot for each of them.
pub fn operation_dots(charts: &Charts) -> Vec<Dot> {
    let names = names(charts.operations.iter().map(operation_name));
    let dot = |(o, bytes): (&Operation, u64)| Dot {
        name: o.group.clone(),
        series: operation_name(o).into(),
        x: bytes as f64,
        y: o.range.duration().0 as f64,
        size: 0.1,
        colour: colour(&names, operation_name(o)),
        is_hollow: false,
        rows: vec![("Duration".into(), text::duration(o.range.duration())), ("Start".into(), text::time(o.range.start))],
        note: o.delay.map(|d| format!("{} after its trigger", text::duration(d))).unwrap_or_default(),
    };
    sized_operations(charts).map(dot).collect()
}

/// A box for each group.
pub fn boxes(charts: &Charts) -> Vec<Boxed> {
    let one = |(at, b): (usize, &BoxFigures)| Boxed {
        name: format!("{} × {}", b.group, text::count(b.count)),
        colour: at as u16,
        five: b.five,
        mean: b.mean,
        count: b.count,
    };
    charts.boxes.iter().enumerate().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::device::charts::TransferMean;

    fn charts() -> Charts {
        let engine = |core: &str, limit| EngineSplit { core: core.into(), active_throttled: limit, unused: 1.0, ..EngineSplit::default() };
        Charts { engines: vec![engine("NC 0", Some(0.0)), engine("NC 1", None)], ..Charts::default() }
    }

    #[test]
    fn every_bar_has_a_value_per_series() {
        let all = charts();
        assert!(split_bars(&all, "").iter().all(|b| b.values.len() == split_series(&all).len()));
        assert_eq!(split_bars(&all, "NC 1").len(), 1);
        assert!(split_series(&all).iter().all(|s| s.name != "Model FLOPs"), "no engine tells its work");
        let mut recorded = all.clone();
        recorded.engines[0].model = Some(0.25);
        let models: Vec<_> = split_bars(&recorded, "").iter().map(|b| b.recorded(0)).collect();
        assert_eq!((split_series(&recorded)[0].name.as_str(), models), ("Model FLOPs", vec![Some(0.25), None]));
        assert!(origin_bars(&all, "").iter().all(|b| b.values.len() == origin_series().len()));
    }

    #[test]
    fn cores_are_shown_and_zero_clocks_are_not_recorded() {
        let names = |all: &[&str]| all.iter().map(|n| n.to_string()).collect::<Vec<_>>();
        assert_eq!(known_cores(&names(&["NC 4", "NC 5"]), &names(&["NC 5"]), ""), names(&["NC 4", "NC 5"]));
        assert_eq!(known_cores(&[], &names(&["NC 10"]), "NC 4"), names(&["NC 4", "NC 10"]));
        let facts = [("Tensor engine clock (GHz)", "0"), ("Other engines' clock (GHz)", "1.4"), ("Physical NeuronCores", "0")];
        let all = Charts { system: facts.map(|f| (f.0.into(), f.1.into())).to_vec(), ..Charts::default() };
        let recorded: Vec<String> = system(&all).into_iter().map(|f| f.1).collect();
        assert_eq!(recorded, ["not recorded", "1.4", "0"]);
    }

    #[test]
    fn what_is_not_recorded_is_no_slice() {
        let mut all = charts();
        assert!(memory_slices(&all).is_empty() && memory_line(&all).is_empty());
        all.memory = Some(crate::analysis::device::charts::Memory { read: 10, written: 20, ..Default::default() });
        assert_eq!(memory_slices(&all).len(), 2, "neither spills nor what was left");
        assert!(memory_line(&all).contains("Spills are not separated"));
        let facts = |all: &Charts| memory_facts(all).into_iter().map(|f| f.1).collect::<Vec<_>>();
        assert_eq!(facts(&all), ["not available", "not available"]);
        let memory = all.memory.as_mut().unwrap();
        (memory.spilled, memory.reloaded, memory.useful_read) = (Some(7), Some(3), Some(0.75));
        all.transfer_mean = Some(TransferMean { bytes: 2048.0, is_of_file: false });
        let slices: Vec<_> = memory_slices(&all).into_iter().map(|s| (s.name, s.value)).collect();
        assert_eq!(slices[2..], [("Spills reloaded".to_string(), 3), ("Spills saved".to_string(), 4)]);
        assert_eq!(facts(&all), ["2.00 KiB, of the rows", "75.0%"]);
    }

    #[test]
    fn unnamed_sources_are_not_listed_and_opcodes_are() {
        let mut all = charts();
        all.engines[0].opcodes = vec![("MATMUL".into(), 1200), ("LDWEIGHTS".into(), 3)];
        let bars = origin_bars(&all, "");
        assert_eq!((bars[0].recorded(0), bars[0].recorded(1)), (None, Some(0.0)));
        assert_eq!((bars[0].note.as_str(), bars[1].note.as_str()), ("Most frequent: MATMUL 1\u{202f}200, LDWEIGHTS 3", ""));
    }

    #[test]
    fn an_operation_of_unknown_size_is_no_dot() {
        let of = |group: &str, bytes| Operation { group: group.into(), bytes, ..Operation::default() };
        let all = Charts { operations: vec![of("B 1", Some(1)), of("A", None), of("A 2", Some(2))], ..Charts::default() };
        let dots: Vec<_> = operation_dots(&all).into_iter().map(|d| (d.series, d.x, d.colour)).collect();
        assert_eq!(dots, [("B".to_string(), 1.0, 1), ("A".to_string(), 2.0, 0)]);
    }
}
