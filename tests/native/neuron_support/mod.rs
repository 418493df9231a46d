//! Shared by the Neuron tests: files, imports, a small random generator, and a writer of traces.
#![allow(dead_code)]

pub mod runs;
pub mod writer;

use axonscope::base::{InputSet, Member};
use axonscope::formats::{ImportError, Imported, import};
use std::path::{Path, PathBuf};

/// A file at hand: name and content.
pub type Named = (String, Vec<u8>);

/// The folder of Neuron conformance data; `None` where they are absent.
pub fn conformance() -> Option<PathBuf> {
    crate::common::conformance("neuron")
}

pub fn file(folder: &Path, run: &str, name: &str) -> Named {
    (name.into(), std::fs::read(folder.join(run).join(name)).expect("the conformance data are whole"))
}

pub fn set(files: &[Named]) -> InputSet {
    InputSet { members: files.iter().map(|(name, bytes)| Member::from_bytes(name.clone(), bytes.clone())).collect() }
}

/// The profile that the files make together.
pub fn import_one(files: &[Named]) -> Result<Imported, ImportError> {
    let mut outcomes = import::import(&set(files))?;
    assert_eq!(outcomes.len(), 1, "one profile");
    outcomes.remove(0).1.map(|(imported, _)| imported)
}

/// The same trace, as if another hardware generation had written it: of an instance type that is not known, with architecture 1.
pub fn other_architecture(trace: Named) -> Named {
    let (name, mut bytes) = trace;
    // The fields before the instance type `trn2.3xlarge` (field 9) in the description: architecture (field 5), versions.
    let kind = bytes.windows(14).position(|w| w == b"\x4a\x0ctrn2.3xlarge").expect("the instance type");
    bytes[kind + 2..kind + 6].copy_from_slice(b"xyz9");
    let architecture =
        bytes[..kind].windows(3).rposition(|w| w == [5 << 3, 2, 8 << 3 | 2]).expect("the architecture, before the version of the runtime");
    bytes[architecture + 1] = 1;
    (name, bytes)
}

/// Format and members of each claim.
pub fn claims(files: &[Named]) -> Vec<(String, Vec<usize>)> {
    let heads = import::heads(&set(files)).expect("in memory");
    axonscope::formats::claim(&heads).0.into_iter().map(|c| (c.format, c.members)).collect()
}

/// Imports whatever comes of it; what opens must be sound, and its records readable without a panic.
pub fn try_import(files: &[Named]) {
    let Ok(outcomes) = import::import(&set(files)) else {
        return;
    };
    for (claim, outcome) in outcomes {
        let Ok((imported, input)) = outcome else {
            continue;
        };
        assert_eq!(imported.profile.check(), Ok(()), "{claim:?}");
        let format = axonscope::formats::by_id(&claim.format).expect("known");
        for slice in (0..imported.profile.slices.len() as u32).step_by(97) {
            let _ = format.record(&input, &imported.profile, axonscope::base::SliceId(slice).into());
        }
    }
}

/// A small deterministic generator.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n.max(1)
    }
}

/// The file with a few bytes changed within its first `reach`, sometimes cut.
pub fn mutated(file: &Named, reach: usize, random: &mut Random) -> Named {
    let mut bytes = file.1.clone();
    for _ in 0..=random.below(8) {
        let at = random.below(reach.min(bytes.len()));
        bytes[at] = random.below(256) as u8;
    }
    if random.below(4) == 0 {
        bytes.truncate(random.below(file.1.len()));
    }
    (file.0.clone(), bytes)
}
