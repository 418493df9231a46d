//! What the Distributed view shows, from the merged parts of the workers.

use crate::analysis::torch::distributed::{CommunicationRow, Distributed, OverlapTimes, Straggler, WaitTimes, WorkerDevice, WorkerTimes};
use crate::base::{SliceId, text};
use crate::ui::bars::{Bar, Series};
use crate::ui::palette::fixed;
use crate::ui::table::{Cell, Column, Kind, Row};

/// What the charts show: the mean of the steps, every step, or one by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepChoice {
    /// One bar per worker: the mean of its steps.
    Mean,
    /// A bar per worker and step.
    Each,
    /// A bar per worker: that step.
    Step(String),
}

impl StepChoice {
    /// From a choice of the user.
    pub fn from_choice(text: &str) -> Self {
        match text {
            "" => StepChoice::Mean,
            "each" => StepChoice::Each,
            step => StepChoice::Step(step.strip_prefix("step ").unwrap_or(step).to_string()),
        }
    }
}

/// Series of the overlap chart, from the ground up, in the colours that the Overview gives to the same things.
pub fn overlap_series() -> Vec<Series> {
    let one = |name: &str, colour, help: &str| Series { name: name.into(), colour, help: help.into() };
    vec![
        one(
            "Computation",
            fixed::KERNEL,
            "Computation only: kernels that are not communication, or host operators if nothing ran on a device.",
        ),
        one("Overlap", fixed::OVERLAP, "Computation and communication at the same time: hidden communication."),
        one("Communication", fixed::COMMUNICATION, "Communication only: exposed communication."),
        one("Other", fixed::OTHER, "Neither computation nor communication."),
    ]
}

/// Series of the waiting chart, from the ground up.
pub fn wait_series() -> Vec<Series> {
    let one = |name: &str, colour, help: &str| Series { name: name.into(), colour, help: help.into() };
    vec![
        one("Data transfer", fixed::COMMUNICATION, "Data transfer: the time of the fastest worker for the same operation."),
        one("Synchronizing", fixed::OTHER, "Rest of the operation: waiting for the last worker to arrive."),
    ]
}

fn overlap_values(t: &OverlapTimes) -> Vec<f64> {
    [t.computation_only, t.overlap, t.communication_only, t.other].iter().map(|d| d.0 as f64).collect()
}

fn wait_values(t: &WaitTimes) -> Vec<f64> {
    [t.transfer, t.synchronizing].iter().map(|d| d.0 as f64).collect()
}

/// Bars of computation and communication.
pub fn overlap_bars(found: &Distributed, shown: &StepChoice) -> Vec<Bar> {
    bars(
        found,
        shown,
        |w| Some(overlap_values(&w.overlap)),
        |w| w.overlap_steps.iter().map(|s| (s.0.clone(), overlap_values(&s.1))).collect(),
    )
}

/// Bars of moving data and waiting; none unless operations could be matched.
pub fn wait_bars(found: &Distributed, shown: &StepChoice) -> Vec<Bar> {
    bars(found, shown, |w| w.wait.as_ref().map(wait_values), |w| w.wait_steps.iter().map(|s| (s.0.clone(), wait_values(&s.1))).collect())
}

fn bars(
    found: &Distributed,
    shown: &StepChoice,
    mean: impl Fn(&WorkerTimes) -> Option<Vec<f64>>,
    steps: impl Fn(&WorkerTimes) -> Vec<(String, Vec<f64>)>,
) -> Vec<Bar> {
    let mut out = Vec::new();
    for worker in &found.workers {
        let note = worker.rank.map(|r| format!("Rank {r}")).unwrap_or_default();
        match shown {
            StepChoice::Mean => out.extend(mean(worker).map(|values| Bar { name: worker.worker.clone(), values, note, ..Bar::default() })),
            StepChoice::Each => {
                let bar = |(name, values)| Bar { name, values, group: worker.worker.clone(), note: note.clone() };
                out.extend(steps(worker).into_iter().map(bar));
            }
            StepChoice::Step(step) => {
                let found = steps(worker).into_iter().find(|s| s.0 == *step);
                out.extend(found.map(|(_, values)| Bar { name: worker.worker.clone(), values, note, ..Bar::default() }));
            }
        }
    }
    out
}

/// Columns of the operations, as the plugin names them; those across workers only when operations could be matched.
pub fn columns(is_matched: bool) -> Vec<Column> {
    let mut out = vec![
        Column::new("name", "Name", Kind::Name, "The communication operation."),
        Column::new("worker", "Worker", Kind::Text, "Worker that ran it."),
        Column::new("calls", "Calls", Kind::Count, "").summed(),
        Column::new("total_size", "Total Size", Kind::Bytes, "Bytes of the input tensors. Empty if not recorded in the trace."),
        Column::new("avg_size", "Avg Size", Kind::Bytes, "Mean per call."),
        Column::new("total_latency", "Total Latency", Kind::Duration, "Time in which any of the calls ran, waiting included."),
        Column::new("avg_latency", "Avg Latency", Kind::Duration, "Mean per call."),
    ];
    if is_matched {
        let help = "Without waiting: each call counts with the duration of the fastest worker.";
        out.push(Column::new("transfer_time", "Data Transfer Time", Kind::Duration, help));
        out.push(Column::new("avg_transfer_time", "Avg Data Transfer Time", Kind::Duration, "Mean per call."));
    }
    out
}

/// A row per operation of the workers: all of them, or the one named.
pub fn rows(found: &Distributed, worker: &str) -> Vec<Row> {
    operations(found, worker).map(|(w, r)| row(w, r, found.is_matched)).collect()
}

/// Worker and longest call of each row.
pub fn targets(found: &Distributed, worker: &str) -> Vec<(String, SliceId)> {
    operations(found, worker).map(|(w, r)| (w.worker.clone(), r.longest)).collect()
}

fn operations<'a>(found: &'a Distributed, worker: &'a str) -> impl Iterator<Item = (&'a WorkerTimes, &'a CommunicationRow)> {
    let is_wanted = move |w: &&WorkerTimes| worker.is_empty() || w.worker == worker;
    found.workers.iter().filter(is_wanted).flat_map(|w| w.operations.iter().map(move |o| (w, o)))
}

fn row(worker: &WorkerTimes, r: &CommunicationRow, is_matched: bool) -> Row {
    let mut cells = vec![
        Cell::Text(r.name.clone()),
        Cell::Text(worker.worker.clone()),
        Cell::from(r.calls),
        Cell::from(r.size_bytes),
        Cell::from(r.mean_size_bytes),
        Cell::Int(r.latency.0),
        Cell::Int(r.mean_latency.0),
    ];
    if is_matched {
        cells.extend([Cell::from(r.transfer), Cell::from(r.mean_transfer)]);
    }
    Row::new(cells)
}

/// What a straggler costs, in a sentence.
pub fn straggler_sentence(s: &Straggler) -> String {
    let step = s.step.as_ref().map_or_else(|| "Over the entire trace".to_string(), |s| format!("In step {s}"));
    format!(
        "{step}, the other workers waited {} on average and this worker {}: it cost each of them {}. Last to arrive in {} of {} collectives.",
        text::duration(s.others_waited),
        text::duration(s.waited),
        text::duration(s.cost),
        text::count(s.n_last),
        text::count(s.n_operations)
    )
}

/// A device in a line.
pub fn device_text(d: &WorkerDevice) -> String {
    let parts = [
        Some(format!("GPU{}", d.id)),
        d.name.clone(),
        d.memory_bytes.map(text::bytes),
        d.compute.map(|(major, minor)| format!("compute capability {major}.{minor}")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::DurationNs;

    fn found(is_matched: bool) -> Distributed {
        let times = |n| OverlapTimes { computation_only: DurationNs(n), ..OverlapTimes::default() };
        let worker = |name: &str, rank| WorkerTimes {
            worker: name.into(),
            rank: Some(rank),
            overlap: times(15),
            overlap_steps: vec![("1".into(), times(10)), ("2".into(), times(20))],
            wait: is_matched.then_some(WaitTimes { transfer: DurationNs(3), synchronizing: DurationNs(4) }),
            operations: vec![CommunicationRow { name: "gloo:all_reduce".into(), size_bytes: Some(64), ..CommunicationRow::default() }],
            ..WorkerTimes::default()
        };
        Distributed { workers: vec![worker("host_0", 0), worker("host_1", 1)], is_matched, ..Distributed::default() }
    }

    #[test]
    fn bars_are_means_steps_or_one_step() {
        let names = |shown: &str| {
            let bars = overlap_bars(&found(false), &StepChoice::from_choice(shown));
            bars.iter().map(|b| format!("{}{} {}", b.group, b.name, b.values[0])).collect::<Vec<_>>()
        };
        assert_eq!(names(""), ["host_0 15", "host_1 15"]);
        assert_eq!(names("each"), ["host_01 10", "host_02 20", "host_11 10", "host_12 20"]);
        assert_eq!(names("step 2"), ["host_0 20", "host_1 20"]);
        assert!(names("step 9").is_empty());
    }

    #[test]
    fn waiting_is_only_shown_where_workers_match() {
        assert!(wait_bars(&found(false), &StepChoice::Mean).is_empty());
        assert_eq!(wait_bars(&found(true), &StepChoice::Mean)[0].values, [3.0, 4.0]);
        for is_matched in [false, true] {
            let found = found(is_matched);
            assert_eq!(rows(&found, "")[0].cells.len(), columns(is_matched).len());
        }
    }

    #[test]
    fn operations_are_of_all_workers_or_one() {
        assert_eq!(rows(&found(false), "").len(), 2);
        assert_eq!(targets(&found(false), "host_1"), [("host_1".to_string(), SliceId::default())]);
    }

    #[test]
    fn what_a_device_does_not_record_is_skipped() {
        assert_eq!(device_text(&WorkerDevice { id: 2, ..WorkerDevice::default() }), "GPU2");
        let full = WorkerDevice { id: 0, name: Some("NVIDIA A100".into()), memory_bytes: Some(1 << 30), compute: Some((8, 0)) };
        assert_eq!(device_text(&full), "GPU0 · NVIDIA A100 · 1.00 GiB · compute capability 8.0");
    }
}
