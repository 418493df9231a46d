//! Owners of semaphores, by core.

use crate::base::{SliceId, StrId, TrackId};
use crate::model::{Cell, Domain, Profile};
use rustc_hash::FxHashMap;

/// Owners by core (its topmost track) and number: `5` of `NC 4` is `Tensor`'s.
pub(super) struct Owners<'a> {
    profile: &'a Profile,
    known: FxHashMap<(TrackId, &'a str), &'a str>,
}

impl<'a> Owners<'a> {
    /// Collects the owners of all semaphores: from the profile's table, or else from the operands of instructions.
    pub fn of(profile: &'a Profile) -> Self {
        let mut out = Owners { profile, known: FxHashMap::default() };
        out.listed();
        if let (true, Domain::NeuronDevice(device)) = (out.known.is_empty(), &profile.domain) {
            for used in device.semaphores.iter().filter(|u| u.owner != StrId(0)) {
                if let Some(track) = profile.track_of(SliceId(used.slice)) {
                    let key = (out.core(track), profile.strings.get(used.id));
                    out.known.entry(key).or_insert(profile.strings.get(used.owner));
                }
            }
        }
        out
    }

    /// Owner of semaphore `id` on the core of `track`; empty if not recorded.
    pub fn owner(&self, track: TrackId, id: &str) -> &'a str {
        self.known.get(&(self.core(track), id)).copied().unwrap_or_default()
    }

    /// Names in the table `semaphores`, which identifies cores by their subgraph.
    fn listed(&mut self) {
        let mut cores: FxHashMap<&str, TrackId> = FxHashMap::default();
        for row in texts(self.profile, "semaphores", ["subgraph", "id", "owner"]) {
            let [Some(Cell::Text(subgraph)), Some(Cell::Text(id)), Some(Cell::Text(owner))] = row else { continue };
            let core = cores.get(subgraph.as_str()).copied().or_else(|| core_of(self.profile, subgraph));
            if let Some(core) = core {
                cores.insert(subgraph, core);
                self.known.insert((core, id), owner);
            }
        }
    }

    /// The topmost track above one.
    fn core(&self, track: TrackId) -> TrackId {
        let parent = |at: &TrackId| self.profile.tracks.get(at.index()).and_then(|t| t.parent);
        std::iter::successors(Some(track), parent).last().unwrap_or(track)
    }
}

/// The core that runs a subgraph: its track is named by its number, by the subgraph or by both.
fn core_of(profile: &Profile, subgraph: &str) -> Option<TrackId> {
    let mut infos = texts(profile, "model_info", ["sg_name", "nc_idx"]);
    let number = infos.find_map(|row| match row {
        [Some(Cell::Text(name)), Some(Cell::Int(nc))] if name == subgraph => Some(*nc),
        _ => None,
    });
    let names = number.map(|nc| [format!("NC {nc}"), format!("NC {nc} {subgraph}")]).into_iter().flatten();
    let names: Vec<String> = names.chain([subgraph.to_string()]).collect();
    let is_it = |t: &crate::model::Track| t.parent.is_none() && names.iter().any(|n| n == profile.strings.get(t.name));
    profile.tracks.iter().position(is_it).map(|at| TrackId(at as u32))
}

/// Chosen cells of the rows of a table.
fn texts<'a, const N: usize>(profile: &'a Profile, table: &str, columns: [&'static str; N]) -> impl Iterator<Item = [Option<&'a Cell>; N]> {
    let table = profile.tables.iter().find(|t| t.id == table);
    let places = columns.map(|name| table.and_then(|t| t.columns.iter().position(|c| c == name)));
    let rows = table.map_or(&[][..], |t| t.rows.as_slice());
    rows.iter().map(move |row| places.map(|at| row.get(at?)))
}
