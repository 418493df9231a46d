//! What the documents name in `code` exists: paths, modules, types, functions.

use super::{Source, expect_none, root, sources};
use std::collections::BTreeSet;
use std::fs;

/// Documents about the code itself. Others name fields of files and commands of the user.
const DOCUMENTS: &[&str] = &[
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "docs/analyses.md",
    "docs/charts.md",
    "docs/import.md",
    "docs/page.md",
    "docs/security.md",
    "docs/timeline.md",
    "docs/wire.md",
];

/// Names of other projects, and of files that a build or a user makes.
const FOREIGN: &[&str] =
    &["wasm_split_helpers", "../shared/conformance", "dist/THIRD-PARTY.txt", "fuzz/artifacts/", "e2e/artifacts", "Boxplot", "ts_us"];

/// The spans in backticks outside blocks of code, with their lines.
fn spans(text: &str) -> Vec<(usize, &str)> {
    let mut is_block = false;
    let mut out = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            is_block = !is_block;
        } else if !is_block {
            out.extend(line.split('`').skip(1).step_by(2).map(|span| (at + 1, span)));
        }
    }
    out
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Every word of the code and of the names of its files.
fn words(all: &[Source]) -> BTreeSet<&str> {
    let code = all.iter().flat_map(|s| s.text.lines()).map(|line| line.split("//").next().unwrap_or_default());
    code.chain(all.iter().map(|s| s.path.as_str())).flat_map(|text| text.split(|c| !is_word(c))).filter(|word| !word.is_empty()).collect()
}

/// Whether a span is a path below the root of the repository: it begins with one of the names there.
fn is_path(span: &str) -> bool {
    let first = span.split('/').next().unwrap_or_default();
    span.contains('/') && !first.is_empty() && first.chars().all(|c| is_word(c) || c == '.') && root().join(first).is_dir()
}

/// The part of a path before what stands for several: `tests/web*.rs`, `tests/cases/<format>/`.
fn fixed(path: &str) -> &str {
    match path.find(['*', '<', '{']) {
        Some(at) => path[..at].rsplit_once('/').map_or("", |p| p.0),
        None => path,
    }
}

/// Names of Rust in a span: paths with `::`, types, and words with an underscore. `None`: it is something else.
fn names(span: &str) -> Option<Vec<&str>> {
    let span = span.trim_end_matches("()");
    if span.is_empty() || !span.chars().all(|c| is_word(c) || c == ':') || span.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let is_type = span.starts_with(|c: char| c.is_ascii_uppercase()) && span.contains(|c: char| c.is_ascii_lowercase());
    let is_name = span.contains("::") || is_type || span.contains('_');
    is_name.then(|| span.split("::").collect())
}

#[test]
fn documents_name_what_exists() {
    let all = sources();
    let known = words(&all);
    // Variables of the environment, crates and names of tests are elsewhere.
    let elsewhere: String =
        ["Cargo.toml", "scripts/lib.sh", "scripts/test.sh", "scripts/fuzz.sh", "scripts/dist.sh", "tests/native/common/mod.rs"]
            .iter()
            .map(|path| fs::read_to_string(root().join(path)).unwrap_or_default())
            .collect();
    let mut broken = Vec::new();
    for document in DOCUMENTS {
        let text = fs::read_to_string(root().join(document)).expect("a document");
        for (line, span) in spans(&text).into_iter().filter(|(_, span)| !FOREIGN.contains(span)) {
            if is_path(span) && !root().join(fixed(span)).exists() {
                broken.push(format!("{document}:{line}: no file `{span}`"));
            }
            let missing = |name: &&str| !known.contains(name) && !elsewhere.contains(*name);
            if let Some(name) = names(span).into_iter().flatten().find(missing) {
                broken.push(format!("{document}:{line}: no `{name}` in `{span}`"));
            }
        }
    }
    expect_none("a document names something that does not exist", broken);
}

#[test]
fn names_in_documents_are_seen() {
    assert_eq!(names("engine::Question"), Some(vec!["engine", "Question"]));
    assert_eq!(names("Profile"), Some(vec!["Profile"]));
    assert_eq!(names("by_path()"), Some(vec!["by_path"]));
    assert_eq!((names("make dist"), names("GEMM"), names("worker"), names("--arg")), (None, None, None, None));
    assert_eq!(spans("a `b` c\n```\n`d`\n```\n`e`"), [(1, "b"), (5, "e")]);
    assert_eq!((fixed("tests/web*.rs"), fixed("tests/cases/<format>/"), fixed("src/lib.rs")), ("tests", "tests/cases", "src/lib.rs"));
    assert!(is_path("src/base/") && !is_path("dictionary/pages") && !is_path("A/D"));
}
