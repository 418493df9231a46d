//! The same rows in six orders; neighbours are easy to compare.

use super::View;
use crate::base::Order as _;
use crate::base::TrackId;
use crate::model::system::{Row, RowKind};
use crate::model::{NeuronSystem, Profile};
use serde::{Deserialize, Serialize};

/// What the rows are grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grouping {
    /// Instance, process, source; then threads of the framework, logical cores of the runtime, physical cores of the device.
    #[default]
    Default,
    /// Host and device.
    CpuDevice,
    /// NeuronCores.
    NeuronCore,
    /// Threads.
    Thread,
    /// Processes.
    Process,
    /// Servers.
    Instance,
}

impl Grouping {
    /// All, with their names in the address and for people.
    pub const ALL: [(Grouping, &'static str, &'static str); 6] = [
        (Grouping::Default, "default", "Default"),
        (Grouping::CpuDevice, "cpu-device", "CPU vs Device"),
        (Grouping::NeuronCore, "core", "NeuronCore"),
        (Grouping::Thread, "thread", "Thread"),
        (Grouping::Process, "process", "Process"),
        (Grouping::Instance, "instance", "Instance"),
    ];

    /// The one of that name in the address; the default for others.
    pub fn of(id: &str) -> Grouping {
        Self::ALL.iter().find(|g| g.1 == id).map_or(Grouping::Default, |g| g.0)
    }
}

/// A row of the timeline in another order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowOf {
    /// Position of its group in the list, always earlier.
    pub parent: Option<u32>,
    /// Its name.
    pub name: String,
    /// The track it is; `None` for a group.
    pub track: Option<TrackId>,
}

/// A group: whether it holds what has no mark of the grouping, its name, its rows.
type Group = (bool, String, Vec<(String, TrackId)>);

/// All rows with something on them, in groups. Groups are in the order of the first row in them, rows without a group's own mark last.
pub fn grouped(profile: &Profile, system: &NeuronSystem, by: Grouping) -> Vec<RowOf> {
    let view = View { profile, system, range: None };
    let is_one = instances(&view) < 2;
    let mut groups: Vec<Group> = Vec::new();
    for (t, row) in system.rows.iter().enumerate().filter(|(_, r)| r.kind != RowKind::Group) {
        let track = TrackId(t as u32);
        let (is_rest, name) = group_of(profile, *row, by, is_one);
        let path = profile.track_path(track);
        let path = if is_one { path.split_once(" / ").map_or(path.clone(), |p| p.1.into()) } else { path };
        // The end of a path distinguishes rows of a group, and labels are cut at their ends.
        let path = path.rsplit(" / ").collect::<Vec<_>>().join(" · ");
        match groups.iter_mut().find(|g| g.1 == name) {
            Some(group) => group.2.push((path, track)),
            None => groups.push((is_rest, name, vec![(path, track)])),
        }
    }
    groups.order_by_key(|g| g.0);
    let mut out = Vec::new();
    for (_, name, rows) in groups {
        let at = out.len() as u32;
        out.push(RowOf { parent: None, name, track: None });
        out.extend(rows.into_iter().map(|(name, track)| RowOf { parent: Some(at), name, track: Some(track) }));
    }
    out
}

fn instances(view: &View<'_>) -> usize {
    let mut ids: Vec<u32> = view.system.rows.iter().filter(|r| r.kind != RowKind::Group).map(|r| r.instance.0).collect();
    ids.sort_unstable();
    ids.dedup();
    ids.len()
}

/// Whether the row has no mark of this grouping, and the name of its group.
fn group_of(profile: &Profile, row: Row, by: Grouping, is_one: bool) -> (bool, String) {
    let text = |id| profile.strings.get(id);
    let instance = if text(row.instance).is_empty() { "Host" } else { text(row.instance) };
    let before = if is_one { String::new() } else { format!("{instance} · ") };
    let process = text(row.process);
    let has_core = matches!(row.kind, RowKind::Runtime | RowKind::Hardware | RowKind::Bandwidth);
    let of = |what: &str, id: &str, rest: &str| match id {
        "" => (true, rest.to_string()),
        id => (false, format!("{before}{what} {id}")),
    };
    match by {
        Grouping::CpuDevice => match row.kind {
            RowKind::Hardware | RowKind::Hbm | RowKind::Bandwidth => (false, "Device".into()),
            _ => (false, "CPU".into()),
        },
        Grouping::NeuronCore => of("NC", if has_core { text(row.core) } else { "" }, "No NeuronCore"),
        Grouping::Thread if text(row.thread).is_empty() => (true, "No thread".into()),
        Grouping::Thread if process.is_empty() => of("TID", text(row.thread), ""),
        Grouping::Thread => of(&format!("PID {process} · TID"), text(row.thread), ""),
        Grouping::Process => of("PID", process, "No process"),
        Grouping::Instance | Grouping::Default => (false, instance.into()),
    }
}
