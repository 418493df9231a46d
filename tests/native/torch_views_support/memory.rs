//! Memory: statistics, curve and single allocations against the plugin's answers.

use super::{Check, ask, close, number, rows, text};
use axonscope::analysis::torch::View;
use axonscope::analysis::torch::memory::{Memory, MemoryEvents, MemoryEventsQuery, MemoryQuery, MemoryRow};
use axonscope::base::{TimeNs, TimeRange};
use serde_json::Value;

/// Whether bytes are what is printed as kilobytes with two decimals (with one digit below 0.01).
fn kilobytes(bytes: i64, printed: &Value) -> bool {
    let printed = number(printed);
    let step = if printed.abs() < 0.01 && printed != 0.0 { 10f64.powi(printed.abs().log10().floor() as i32) } else { 0.01 };
    (bytes as f64 / 1024.0 - printed).abs() <= step * 0.5001
}

/// The window of the `_window` answers: the middle third of the time between the first and the last record.
fn window(view: &View<'_>) -> Option<TimeRange> {
    let (first, last) = (view.torch.memory.first()?.time, view.torch.memory.last()?.time);
    let third = (last - first) as f64 / 3.0;
    Some(TimeRange { start: TimeNs(first + third as i64), end: TimeNs(first + (2.0 * third) as i64) })
}

/// Checks everything that the truth of a case tells of memory.
pub fn check(view: &View<'_>, truth: &dyn Fn(&str) -> Option<Value>) -> Vec<(&'static str, Check)> {
    let whole = memory(view, None);
    let mut out = Vec::new();
    for (name, range) in [("memory_stats", None), ("memory_stats_window", window(view))] {
        if let Some(truth) = truth(name) {
            out.push((name, statistics(&memory(view, range), &truth)));
        }
    }
    if let Some(truth) = truth("memory_curve") {
        out.push(("memory_curve", curve(&whole, &truth)));
    }
    for (name, range) in [("memory_events", None), ("memory_events_window", window(view))] {
        if let Some(truth) = truth(name) {
            out.push((name, events(view, &whole, range, &truth)));
        }
    }
    out
}

fn memory(view: &View<'_>, range: Option<TimeRange>) -> Memory {
    ask(view, MemoryQuery { range })
}

fn statistics(ours: &Memory, truth: &Value) -> Check {
    let mut check = Check::default();
    for (device, want) in truth["rows"].as_object().into_iter().flatten() {
        let none = Vec::new();
        let got = ours.devices.iter().find(|d| d.name == *device).map_or(&none, |d| &d.operators);
        let want = want.as_array().map_or(&[][..], Vec::as_slice);
        check.same(&format!("{device}: rows"), got.len(), want.len());
        for want in want {
            let name = text(&want[0]);
            let Some(got) = got.iter().find(|r| r.name == name) else {
                check.wrong(format!("{device}: no row {name}"));
                continue;
            };
            check.holds(|| format!("{device} {name}: {got:?}, expected {want}"), is_row(got, want));
        }
    }
    check
}

fn is_row(got: &MemoryRow, want: &Value) -> bool {
    number(&want[1]) == got.calls as f64
        && kilobytes(got.increase_bytes, &want[2])
        && kilobytes(got.self_increase_bytes, &want[3])
        && number(&want[4]) == got.allocations as f64
        && number(&want[5]) == got.self_allocations as f64
        && kilobytes(got.allocated_bytes, &want[6])
        && kilobytes(got.self_allocated_bytes, &want[7])
}

fn curve(ours: &Memory, truth: &Value) -> Check {
    let mut check = Check::default();
    for (device, want) in truth["rows"].as_object().into_iter().flatten() {
        let Some(got) = ours.devices.iter().find(|d| d.name == *device) else {
            check.wrong(format!("no curve of {device}"));
            continue;
        };
        let want = rows(want);
        check.same(&format!("{device}: points"), got.curve.len(), want.len());
        for (point, want) in got.curve.iter().zip(want) {
            let ms = (point.time.0 - ours.origin.0) as f64 / 1e6;
            let mb = |bytes: u64| bytes as f64 / f64::from(1 << 20);
            let is_same = (ms - number(&want[0])).abs() <= 2e-6 + ms.abs() * 1e-9
                && close(mb(point.allocated_bytes), number(&want[1]), 1e-9)
                && close(mb(point.reserved_bytes), number(&want[2]), 1e-9);
            check.holds(|| format!("{device}: {point:?} at {ms} ms, expected {want}"), is_same);
        }
        let peak = text(&truth["metadata"]["peaks"][device.as_str()]);
        let shown = got.peak.map(|p| format!("Peak Memory Usage: {:.1}MB", p.allocated_bytes as f64 / f64::from(1 << 20)));
        check.same(&format!("{device}: peak"), shown.unwrap_or_default(), peak.to_string());
    }
    check
}

fn events(view: &View<'_>, whole: &Memory, range: Option<TimeRange>, truth: &Value) -> Check {
    let mut check = Check::default();
    for (device, want) in truth["rows"].as_object().into_iter().flatten() {
        let query = MemoryEventsQuery { device: device.clone(), range, ..MemoryEventsQuery::default() };
        let MemoryEvents { rows: got, .. } = ask(view, query);
        let want = rows(want);
        check.same(&format!("{device}: rows"), got.len(), want.len());
        for (got, want) in got.iter().zip(want) {
            let ms = |time: Option<TimeNs>, want: &Value| match time {
                Some(time) => !want.is_null() && close((time.0 - whole.origin.0) as f64 / 1e6, number(want), 0.00503),
                None => want.is_null(),
            };
            let operator = got.operator.as_deref().unwrap_or("<unknown>");
            let is_same = operator == text(&want[0])
                && kilobytes(got.size_bytes as i64, &want[1])
                && ms(got.allocated, &want[2])
                && ms(got.released, &want[3]);
            check.holds(|| format!("{device}: {got:?}, expected {want}"), is_same);
        }
    }
    check
}
