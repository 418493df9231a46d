//! Computed counters and steps, added to the columns for the page. The profile itself is not changed.

use super::page_columns::{PageMeta, Step};
use super::{Session, full};
use crate::analysis::torch;
use crate::analysis::torch::trace::{DeviceCounters, Line, TraceCounters};
use crate::base::{SliceId, TimeRange, TrackId};
use crate::model::{Counter, Domain, Profile, Series, Torch, Track, TrackKind};

impl Session {
    /// Adds what is computed from the trace: two counters per device, and the steps.
    pub(super) fn add_derived(&self, meta: &mut PageMeta) {
        if let Domain::NeuronDevice(device) = &self.profile.domain {
            // A program without them does not import such a profile.
            if let Ok(neuron) = full::linked() {
                (neuron.add_curves)(&self.profile, device, meta);
            }
        }
        let Domain::Torch(tables) = &self.profile.domain else { return };
        add(meta, |device| group_of(&self.profile, tables, device), torch::counters(&self.profile, tables));
    }
}

/// The group of tracks with the kernels of a device, if the file has one.
fn group_of(profile: &Profile, torch: &Torch, device: u32) -> Option<TrackId> {
    let kernel = torch.kernels.iter().find(|k| k.device == device)?;
    profile.tracks.get(profile.track_of(SliceId(kernel.slice))?.index())?.parent
}

/// `group` maps a device to the parent of its rows.
fn add(meta: &mut PageMeta, group: impl Fn(u32) -> Option<TrackId>, found: TraceCounters) {
    let step = |s: crate::analysis::torch::trace::StepMark| Step {
        name: s.name,
        slice: s.slice,
        range: TimeRange { start: s.start, end: s.end.max(s.start) },
    };
    meta.steps = found.steps.into_iter().map(step).collect();
    for device in found.devices {
        let group = group(device.device);
        add_device(meta, group, device);
    }
}

fn add_device(meta: &mut PageMeta, group: Option<TrackId>, device: DeviceCounters) {
    let lines = [("utilization", device.utilization), ("est. SM efficiency", device.sm_efficiency)];
    let level = group.and_then(|g| meta.tracks.get(g.index())).map_or(0, |g| g.level + 1);
    for (name, Line { times, values }) in lines {
        if times.is_empty() {
            continue;
        }
        let label = format!("GPU {} {name} (computed)", device.device);
        let track = Track { parent: group, level, name: meta.strings.push(&label), kind: TrackKind::Counter, lanes: 0..0 };
        meta.counters.push(Counter {
            track: TrackId(meta.tracks.len() as u32),
            unit: "%".into(),
            is_stacked: false,
            times: times.into_iter().map(|t| t.0).collect(),
            series: vec![Series { name: name.into(), values: values.into_iter().map(|v| v * 100.0).collect() }],
        });
        meta.tracks.push(track);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::torch::trace::StepMark;
    use crate::base::{DurationNs, TimeNs};

    #[test]
    fn counters_become_rows_of_their_device() {
        let mut meta = PageMeta::default();
        let name = meta.strings.push("GPU 0");
        meta.tracks.push(Track { parent: None, level: 0, name, kind: TrackKind::Group, lanes: 0..0 });
        let line = Line { times: vec![TimeNs(0), TimeNs(10)], values: vec![0.25, 0.0] };
        let device = |device, sm_efficiency| DeviceCounters { device, bucket: DurationNs(10), utilization: line.clone(), sm_efficiency };
        let steps = vec![StepMark { name: "5".into(), slice: SliceId(3), start: TimeNs(1), end: TimeNs(9) }];
        let found = TraceCounters { devices: vec![device(0, line.clone()), device(1, Line::default())], steps, notes: Vec::new() };
        add(&mut meta, |d| (d == 0).then_some(TrackId(0)), found);
        let rows: Vec<_> = meta.tracks[1..].iter().map(|t| (meta.strings.get(t.name), t.parent, t.level)).collect();
        let under = Some(TrackId(0));
        let want = [
            ("GPU 0 utilization (computed)", under, 1),
            ("GPU 0 est. SM efficiency (computed)", under, 1),
            ("GPU 1 utilization (computed)", None, 0),
        ];
        assert_eq!(rows, want);
        assert_eq!(meta.counters.iter().map(|c| c.track.0).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(meta.counters[0].series[0].values, [25.0, 0.0]);
        assert_eq!(meta.steps[0].range, TimeRange { start: TimeNs(1), end: TimeNs(9) });
    }
}
