//! What the native tests and the fuzz targets share: a profile as text, and what must hold of every import.

pub mod promises;
pub mod targets;
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

    /// The files as one text, as [`targets::drop_of`] reads it.
    pub fn as_one_text(&self) -> Vec<u8> {
        let input = self.input();
        let bytes = |member: &Member| member.read(0, member.len()).expect("in memory");
        if let [one] = input.members.as_slice() {
            return bytes(one);
        }
        let mut out = targets::SEVERAL.to_vec();
        for member in &input.members {
            out.extend(format!("{}\n{}\n", member.name, member.len()).bytes());
            out.extend(bytes(member));
            out.push(b'\n');
        }
        out
    }
}

/// What fuzzing kept: (target, file). `url`, `annotations` and `workspace` are targets of the page, which the library's own tests run.
pub fn corpus() -> Vec<(String, PathBuf)> {
    let root = cases_folder().join("../../fuzz/corpus");
    if !root.is_dir() {
        return Vec::new();
    }
    let of = |folder: PathBuf| {
        let target = folder.file_name().expect("a name").to_string_lossy().into_owned();
        files_below(&folder).into_iter().map(move |path| (target.clone(), path))
    };
    let all = entries(&root).into_iter().filter(|path| path.is_dir()).flat_map(of);
    all.filter(|(target, _)| !["url", "annotations", "workspace"].contains(&target.as_str())).collect()
}

/// Where the cases are: in the repository, or where `AXONSCOPE_CASES` says.
pub fn cases_folder() -> PathBuf {
    if let Some(other) = std::env::var_os("AXONSCOPE_CASES") {
        return other.into();
    }
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
