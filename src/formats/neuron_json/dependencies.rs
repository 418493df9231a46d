//! Recorded dependencies between instructions.

use super::rows::Links;
use super::value::{Raw, fields};
use super::walk;
use crate::base::{Interner, Ledger, Severity, StrId};
use crate::model::{ProfileBuilder, RawSliceId};
use rustc_hash::{FxBuildHasher, FxHashMap};
use serde::{Deserialize, Serialize};

/// Dependencies found so far; predecessors may follow later in the file.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Dependencies {
    /// (id, slice).
    ids: Vec<(i64, RawSliceId)>,
    /// (predecessor's id, successor, kind).
    links: Vec<(i64, RawSliceId, StrId)>,
    /// Predecessors without an id.
    n_lost: u64,
}

impl Dependencies {
    /// Notes what an instruction depends on.
    pub fn note(&mut self, slice: RawSliceId, links: &Links<'_>, strings: &mut Interner) {
        self.ids.extend(links.id.map(|id| (id, slice)));
        let Some(Raw(list)) = links.predecessors else {
            return;
        };
        let mut found: Vec<(Option<i64>, StrId)> = Vec::new();
        let mut each = |item: &str| found.push(predecessor(item, strings));
        if walk::items(list.as_bytes(), &mut |at| each(&list[at])).is_none() {
            found = match serde_json::from_str::<Vec<&serde_json::value::RawValue>>(list) {
                Ok(list) => list.into_iter().map(|raw| predecessor(raw.get(), strings)).collect(),
                Err(_) => vec![(None, StrId(0))],
            };
        }
        for (id, kind) in found {
            match id {
                Some(id) => self.links.push((id, slice, kind)),
                None => self.n_lost += 1,
            }
        }
    }

    /// Adds those of the next piece of the file, whose slices follow from `first` on; `string` renames a kind.
    pub fn absorb(&mut self, later: Dependencies, string: impl Fn(StrId) -> StrId, first: RawSliceId) {
        self.ids.extend(later.ids.into_iter().map(|(id, slice)| (id, slice + first)));
        self.links.extend(later.links.into_iter().map(|(id, slice, kind)| (id, slice + first, string(kind))));
        self.n_lost += later.n_lost;
    }

    /// Draws the arrows.
    pub fn resolve(self, builder: &mut ProfileBuilder, ledger: &mut Ledger) {
        let mut n_lost = self.n_lost;
        let mut slice_of_id: FxHashMap<i64, RawSliceId> = FxHashMap::default();
        if !self.links.is_empty() {
            slice_of_id = FxHashMap::with_capacity_and_hasher(self.ids.len(), FxBuildHasher);
            slice_of_id.extend(self.ids);
        }
        for (id, slice, kind) in self.links {
            match slice_of_id.get(&id) {
                Some(&from) => builder.flow(from, slice, kind),
                None => n_lost += 1,
            }
        }
        if n_lost > 0 {
            let reason = "A predecessor that is not in the profile: the dependency is skipped.";
            ledger.skip_n(Severity::Warning, "unknown_predecessor", reason, n_lost, 0, String::new);
        }
    }
}

/// Id and kind of a predecessor; no id where it names none.
fn predecessor(item: &str, strings: &mut Interner) -> (Option<i64>, StrId) {
    let (mut id, mut kind) = (None, None);
    let mut each = |key: &str, value: Raw<'_>| match key {
        "id" => id = id.or(value.int()),
        "type" => kind = kind.or_else(|| Some(strings.intern(&value.text()))),
        _ => (),
    };
    let read = walk::entries(item.as_bytes(), &mut |key, value| each(&item[key], Raw(&item[value])));
    if read.is_none() {
        fields(item).unwrap_or_default().iter().for_each(|f| each(&f.0, f.1));
    }
    (id, kind.unwrap_or_default())
}
