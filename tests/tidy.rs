//! The rules of the house that no compiler checks: who may import whom, how long a file may be, what is not written down.
#![cfg(not(target_arch = "wasm32"))]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[path = "tidy/circles.rs"]
mod circles;
#[path = "tidy/documents.rs"]
mod documents;
#[path = "tidy/words.rs"]
mod words;

/// Layer → the layers it may import. ARCHITECTURE.md says why.
const LAYERS: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("model", &["base"]),
    ("formats", &["base", "model"]),
    ("analysis", &["base", "model"]),
    ("engine", &["base", "model", "formats", "analysis"]),
    ("worker", &["base", "model", "formats", "engine"]),
    ("state", &["base", "worker"]),
    ("ui", &["base"]),
    ("views", &["base", "analysis", "engine", "worker", "state", "ui"]),
    ("app", &["base", "state", "ui", "views", "worker"]),
];

/// Layers that know no browser: they are tested natively and run in any worker.
const PURE: &[&str] = &["base", "model", "formats", "analysis", "engine"];
const BROWSER: &[&str] = &[
    "leptos",
    "web_sys",
    "js_sys",
    "wasm_bindgen",
    "wasm_bindgen_futures",
    "gloo_events",
    "gloo_timers",
    "plotters",
    "plotters_backend",
    "plotters_canvas",
];

/// Layers that are linked into the page, which must not pull the importers in.
const PAGE: &[&str] = &["app", "views", "ui", "state"];

const MAX_LINES: usize = 600;

struct Source {
    path: String,
    layer: String,
    text: String,
}

impl Source {
    /// The lines outside tests and comments, with their numbers. By our convention tests close a file.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text
            .lines()
            .enumerate()
            .take_while(|(_, line)| !line.starts_with("#[cfg(test)]") && !line.starts_with("#[cfg(all(test"))
            .map(|(i, line)| (i + 1, line.split("//").next().unwrap_or_default()))
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn rust_files(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(folder).expect("the folder can be read").map(|e| e.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            rust_files(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
}

fn sources() -> Vec<Source> {
    let src = root().join("src");
    let mut paths = Vec::new();
    rust_files(&src, &mut paths);
    paths
        .into_iter()
        .map(|path| {
            let inside = path.strip_prefix(&src).expect("a path below src");
            let first = inside.components().next().expect("a component").as_os_str().to_string_lossy().into_owned();
            Source {
                path: format!("src/{}", inside.display()),
                layer: first.trim_end_matches(".rs").to_owned(),
                text: fs::read_to_string(&path).expect("a source file is text"),
            }
        })
        .collect()
}

/// A file of tests; [`files_of_tests_are_built_for_tests_alone`] holds their parents to it.
fn is_test_file(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.ends_with("_tests.rs")
}

/// The first path segments after each `crate::` in a text, braces included: `crate::{base::X, model}` gives both.
fn imported(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("crate::") {
        if text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let rest = &text[at + "crate::".len()..];
        let word = |s: &str| s.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
        if let Some(list) = rest.strip_prefix('{') {
            let mut depth = 0;
            let mut item = String::new();
            for c in list.chars() {
                match c {
                    '{' => depth += 1,
                    '}' if depth == 0 => break,
                    '}' => depth -= 1,
                    ',' if depth == 0 => {
                        found.push(word(&item));
                        item.clear();
                        continue;
                    }
                    _ => {}
                }
                item.push(c);
            }
            found.push(word(&item));
        } else {
            found.push(word(rest));
        }
    }
    found.retain(|w| !w.is_empty());
    found
}

#[track_caller]
fn expect_none(rule: &str, mut broken: Vec<String>) {
    broken.sort();
    broken.dedup();
    assert!(broken.is_empty(), "{rule}:\n  {}", broken.join("\n  "));
}

#[test]
fn layers_import_only_what_they_may() {
    let table: BTreeMap<&str, &[&str]> = LAYERS.iter().copied().collect();
    let mut broken = Vec::new();
    for source in sources().into_iter().filter(|s| !is_test_file(&s.path)) {
        let Some(allowed) = table.get(source.layer.as_str()) else { continue };
        let code: Vec<&str> = source.code().map(|(_, text)| text).collect();
        for layer in imported(&code.join("\n")) {
            if table.contains_key(layer.as_str()) && layer != source.layer && !allowed.contains(&layer.as_str()) {
                broken.push(format!("{}: {} imports {layer}", source.path, source.layer));
            }
        }
    }
    expect_none("a layer imports one it may not (the table is at the head of this file)", broken);
}

#[test]
fn every_layer_is_in_the_table() {
    let lib = fs::read_to_string(root().join("src/lib.rs")).expect("src/lib.rs");
    let missing = lib
        .lines()
        .filter_map(|l| l.strip_prefix("pub mod ").or_else(|| l.strip_prefix("mod ")))
        .map(|l| l.trim_end_matches(';'))
        .filter(|name| !LAYERS.iter().any(|(layer, _)| layer == name))
        .map(str::to_owned)
        .collect();
    expect_none("a module of src/lib.rs is missing from the table of layers", missing);
}

#[test]
fn pure_layers_know_no_browser() {
    let mut broken = Vec::new();
    for source in sources().into_iter().filter(|s| PURE.contains(&s.layer.as_str())) {
        for (line, text) in source.code() {
            for name in BROWSER {
                if text.contains(&format!("{name}::")) || text.contains(&format!("use {name}")) {
                    broken.push(format!("{}:{line}: mentions {name}", source.path));
                }
            }
        }
    }
    expect_none("a layer that knows no browser mentions one", broken);
}

#[test]
fn the_page_does_not_link_the_importers() {
    let mut broken = Vec::new();
    for source in sources().into_iter().filter(|s| PAGE.contains(&s.layer.as_str()) && !is_test_file(&s.path)) {
        for (line, text) in source.code() {
            if text.contains("formats::ALL") || text.contains("crate::formats") {
                broken.push(format!("{}:{line}", source.path));
            }
        }
    }
    expect_none("the page mentions formats, which would pull every importer into its WebAssembly", broken);
}

#[test]
fn no_view_imports_another() {
    let views: Vec<String> = fs::read_dir(root().join("src/views"))
        .expect("src/views")
        .map(|e| e.expect("an entry").path())
        .filter(|p| p.is_dir())
        .map(|p| p.file_name().expect("a name").to_string_lossy().into_owned())
        .collect();
    let mut broken = Vec::new();
    for source in sources().into_iter().filter(|s| s.layer == "views") {
        let own = source.path.split('/').nth(2).unwrap_or_default().to_owned();
        if !views.contains(&own) {
            continue;
        }
        for (line, text) in source.code() {
            for view in views.iter().filter(|v| **v != own) {
                if text.contains(&format!("views::{view}")) {
                    broken.push(format!("{}:{line}: imports the view {view}", source.path));
                }
            }
        }
    }
    expect_none("a view imports another view", broken);
}

#[test]
fn files_are_short() {
    let broken = sources()
        .iter()
        .map(|s| (s.text.lines().count(), &s.path))
        .filter(|(lines, _)| *lines > MAX_LINES)
        .map(|(lines, path)| format!("{path}: {lines} lines, {MAX_LINES} at most"))
        .collect();
    expect_none("a file is too long to read in one sitting: split it by subject", broken);
}

#[test]
fn code_does_not_unwrap() {
    let mut broken = Vec::new();
    for source in sources().iter().filter(|s| !is_test_file(&s.path)) {
        for (line, text) in source.code() {
            if text.contains(".unwrap()") {
                broken.push(format!("{}:{line}", source.path));
            }
        }
    }
    expect_none("`.unwrap()` outside tests: handle it, or `expect` with the reason why it holds", broken);
}

#[test]
fn errors_are_types() {
    let mut broken = Vec::new();
    let in_layers = sources().into_iter().filter(|s| LAYERS.iter().any(|(layer, _)| *layer == s.layer));
    for source in in_layers.filter(|s| !is_test_file(&s.path)) {
        for (line, text) in source.code().filter(|(_, text)| text.contains("Result<")) {
            // `Result<BTreeMap<String, String>, E>` goes on after the bracket.
            let is_error = |at: usize| !text[at + ", String>".len()..].starts_with([',', '>']);
            if text.match_indices(", String>").any(|(at, _)| is_error(at)) {
                broken.push(format!("{}:{line}", source.path));
            }
        }
    }
    expect_none("an error is a String: make it a type with `thiserror`; its sentence is made where it is shown", broken);
}

#[test]
fn files_of_tests_are_built_for_tests_alone() {
    let all = sources();
    let is_declared = |path: &str| {
        let (folder, name) = path.trim_end_matches(".rs").rsplit_once('/').expect("a path below src");
        let parents = all.iter().filter(|s| s.path == format!("{folder}/mod.rs") || s.path == format!("{folder}.rs"));
        let declaration = format!("\nmod {name};");
        parents.flat_map(|s| s.text.split_once(&declaration)).any(|(before, _)| {
            let attribute = before.lines().last().unwrap_or_default();
            attribute.starts_with("#[cfg(test)]") || attribute.starts_with("#[cfg(all(test,")
        })
    };
    let broken = all.iter().filter(|s| is_test_file(&s.path) && !is_declared(&s.path)).map(|s| s.path.clone()).collect();
    expect_none("a file of tests is not declared by its parent below `#[cfg(test)]`, so no rule looks at it", broken);
}

#[test]
fn every_format_has_its_page() {
    let formats = root().join("src/formats");
    // Shared by several formats: readers of a container or a syntax, threads, what system profiles have in common; no format of their own.
    const HELPERS: &[&str] = &["archive", "gzip", "json", "parallel", "system_events"];
    let missing = fs::read_dir(&formats)
        .expect("src/formats")
        .map(|e| e.expect("an entry").path())
        .filter(|p| p.is_dir())
        .map(|p| p.file_name().expect("a name").to_string_lossy().into_owned())
        .filter(|id| !HELPERS.contains(&id.as_str()))
        .filter(|id| !root().join(format!("docs/formats/{id}.md")).is_file())
        .map(|id| format!("docs/formats/{id}.md"))
        .collect();
    expect_none("a format has no page that says what is read, and from where", missing);
}

/// Text files of the repository: what git tracks, or nothing outside a checkout.
fn tracked() -> Vec<(String, String)> {
    let Ok(out) = Command::new("git").arg("-C").arg(root()).args(["ls-files", "-z"]).output() else { return Vec::new() };
    String::from_utf8_lossy(&out.stdout)
        .split('\0')
        .filter(|p| !p.is_empty())
        .filter_map(|p| fs::read_to_string(root().join(p)).ok().map(|text| (p.to_owned(), text)))
        .collect()
}

#[test]
fn the_repository_names_no_machine() {
    // Put together here, so that this file does not find itself.
    let slash = '/';
    let words = [
        format!("{slash}work{slash}"),
        format!("{slash}root{slash}"),
        format!("{slash}home{slash}"),
        format!("\"resolved\"{}", ':'),
        format!("registry{}", ".npmjs"),
        format!("127.0.0.1{}", ":3128"),
    ];
    let mut broken = Vec::new();
    for (path, text) in tracked() {
        for (i, line) in text.lines().enumerate() {
            for word in &words {
                // A word inside a longer path or address is another thing: `https://host/work/` is not ours.
                if let Some(at) = line.find(word.as_str())
                    && !line[..at].ends_with(|c: char| c.is_alphanumeric() || "._-/}>*".contains(c))
                {
                    broken.push(format!("{path}:{}: {word}", i + 1));
                }
            }
        }
    }
    expect_none("a tracked file names a path of one machine, or the host of a registry", broken);
}

/// Texts between tags and in `title` and `aria-label` of a piece of HTML.
fn texts(html: &str) -> Vec<String> {
    let mut out = Vec::new();
    for part in html.split('<').skip(1) {
        let (tag, text) = part.split_once('>').unwrap_or((part, ""));
        out.push(text.trim().to_owned());
        for key in [" title=\"", " aria-label=\""] {
            out.extend(tag.split_once(key).and_then(|(_, rest)| rest.split_once('"')).map(|(value, _)| value.to_owned()));
        }
    }
    out.retain(|text| text.chars().any(char::is_alphabetic));
    out
}

#[test]
fn the_drawn_start_page_says_what_the_program_says() {
    let html = fs::read_to_string(root().join("index.html")).expect("index.html");
    let drawn = html.split_once("<div id=\"early\"").and_then(|(_, rest)| rest.split_once("</main>")).expect("the drawn start page").0;
    let (before, rest) = drawn.split_once("<noscript>").expect("what is said without scripts");
    let after = rest.split_once("</noscript>").expect("its end").1;
    let program: String = sources().iter().filter(|s| ["views", "app"].contains(&s.layer.as_str())).map(|s| s.text.as_str()).collect();
    let drawn: Vec<String> = texts(before).into_iter().chain(texts(after)).collect();
    assert!(drawn.len() > 10, "the texts of index.html were not found");
    let broken = drawn.into_iter().filter(|text| !program.contains(text.as_str())).collect();
    expect_none("index.html says something that src/views/start and src/app/shell/toolbar.rs do not: change both", broken);
}

#[test]
fn imports_in_braces_are_seen() {
    assert_eq!(imported("use crate::{\n    base::{A, B},\n    model, views::x,\n};"), ["base", "model", "views"]);
    assert_eq!(imported("    crate::engine::Query::new()"), ["engine"]);
    assert_eq!(imported("mycrate::engine"), Vec::<String>::new());
}
