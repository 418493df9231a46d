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

/// Of `given`, the file that `wanted` means: the one with the most parts of the path in common, from the right; at least its name.
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
    fn source_is_told_by_its_ending() {
        assert!(is_source("a/b/kernel.PY") && is_source("x.cpp"));
        assert!(!is_source("py") && !is_source("a.py/profile.ntff") && !is_source("trace.json"));
    }
}
