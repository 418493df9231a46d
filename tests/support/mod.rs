//! What tests of every format share: a profile as text, and what must hold of every import.

pub mod promises;
pub mod text;

use axonscope::base::{InputSet, Member};
use std::path::{Path, PathBuf};

/// A case: a folder of input files with the text that is expected of them.
pub struct Case {
    /// `kineto/phases`.
    pub name: String,
    /// The folder.
    pub folder: PathBuf,
}

/// The file of a case that says what is expected; every other file of the folder is input.
pub const EXPECTED: &str = "expected.txt";

impl Case {
    /// The files as one drop, named by their path below the folder, in the order of their names.
    pub fn input(&self) -> InputSet {
        let members = files_below(&self.folder).into_iter().filter(|path| *path != self.folder.join(EXPECTED));
        let member = |path: PathBuf| {
            let name = path.strip_prefix(&self.folder).expect("a path below the folder").to_string_lossy().replace('\\', "/");
            Member::from_bytes(name, std::fs::read(&path).expect("an input file can be read"))
        };
        InputSet { members: members.map(member).collect() }
    }
}

/// Where the cases are.
pub fn cases_folder() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    [manifest.join("tests/cases"), manifest.join("../tests/cases")].into_iter().find(|path| path.is_dir()).expect("tests/cases")
}

/// Every case, by name: `tests/cases/<format>/<case>/`.
pub fn cases() -> Vec<Case> {
    let root = cases_folder();
    let mut out = Vec::new();
    for format in entries(&root).into_iter().filter(|path| path.is_dir()) {
        for folder in entries(&format).into_iter().filter(|path| path.is_dir()) {
            let name = folder.strip_prefix(&root).expect("a path below the root").to_string_lossy().replace('\\', "/");
            out.push(Case { name, folder });
        }
    }
    out
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut out: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("the folder can be read").map(|entry| entry.expect("an entry").path()).collect();
    out.sort();
    out
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    entries(folder).into_iter().flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}
