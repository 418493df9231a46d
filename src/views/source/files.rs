//! Files of source that the user has given, joined to the paths that a profile names.

/// A file of source as the pane shows it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceText {
    /// The path in the profile.
    pub file: String,
    /// The path of the file that the user gave.
    pub path: String,
    /// Its lines.
    pub lines: Vec<String>,
}

/// Endings of files that are taken for source.
const ENDINGS: [&str; 15] = ["py", "pyi", "pyx", "nki", "c", "cc", "cpp", "cxx", "h", "hh", "hpp", "rs", "jl", "mlir", "hlo"];

/// Whether a name is that of a file of source.
pub fn is_source(name: &str) -> bool {
    let ending = name.rsplit('/').next().and_then(|n| n.rsplit_once('.')).map(|n| n.1);
    ending.is_some_and(|e| ENDINGS.iter().any(|known| known.eq_ignore_ascii_case(e)))
}

/// Endings of files that lie beside source and are no profiles.
const NON_SOURCE_EXTENSIONS: [&str; 22] = [
    "md", "rst", "txt", "toml", "cfg", "ini", "yaml", "yml", "lock", "sh", "bat", "ipynb", "csv", "html", "css", "js", "ts", "png", "jpg",
    "svg", "pyc", "pdf",
];

/// Whether a file is a usual companion of source code: not a profile, and ignored without a message.
pub fn is_beside_source(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or_default();
    let is_hidden = name.split('/').any(|part| part.starts_with('.') || part == "__pycache__" || part == "node_modules");
    let ending = file.rsplit_once('.').map(|n| n.1);
    is_hidden
        || ["LICENSE", "Makefile", "Dockerfile"].contains(&file)
        || ending.is_some_and(|e| NON_SOURCE_EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(e)))
}

/// The file among `given` that `wanted` means: the one with the most parts of the path in common, from the right; at least its name.
pub fn matching(wanted: &str, given: &[String]) -> Option<usize> {
    let common = |path: &String| {
        let parts = |p: &str| p.rsplit(['/', '\\']).map(str::to_string).collect::<Vec<_>>();
        parts(wanted).iter().zip(parts(path)).take_while(|(a, b)| *a == b).count()
    };
    let best = given.iter().enumerate().map(|(i, path)| (common(path), std::cmp::Reverse(path.len()), std::cmp::Reverse(i))).max()?;
    (best.0 > 0).then_some(best.2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_the_end_of_their_path() {
        let given = ["src/a/kernel.py", "src/b/kernel.py", "src/b/util.py"].map(String::from);
        assert_eq!(matching("/src/u/project/b/kernel.py", &given), Some(1));
        assert_eq!(matching("kernel.py", &given), Some(0));
        assert_eq!(matching("/other/helper.py", &given), None);
        assert_eq!(matching("x.py", &[]), None);
    }

    #[test]
    fn source_is_recognised_by_its_extension() {
        assert!(is_source("a/b/kernel.PY") && is_source("x.cpp"));
        for beside in ["project/README.md", "project/.git/HEAD", "p/__pycache__/a.cpython-311.pyc", "p/LICENSE", ".gitignore"] {
            assert!(is_beside_source(beside), "{beside}");
        }
        for other in ["p/profile.ntff", "p/model.neff", "p/trace.json", "p/trace.json.gz", "p/Instruction.parquet", "p/profile"] {
            assert!(!is_beside_source(other), "{other}");
        }
        assert!(!is_source("py") && !is_source("a.py/profile.ntff") && !is_source("trace.json"));
    }
}
