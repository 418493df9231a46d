//! No circles: a file that imports another is not imported by it, not even through others. A module and the modules below it are one thing:
//! `mod.rs` may re-export what is below.

use super::{Source, expect_none, is_test_file, sources};
use std::collections::{BTreeMap, BTreeSet};

/// A folder, and of each folder in it those beside it that it may import. `.` is the files that are in no folder of it, which may import all.
type Folders = (&'static str, &'static [(&'static str, &'static [&'static str])]);

const FOLDERS: &[Folders] = &[
    (
        "views/timeline",
        &[
            ("lookup", &[]),
            ("rows", &["lookup"]),
            ("state", &["lookup", "rows"]),
            ("input", &["lookup", "rows", "state"]),
            ("paint", &["lookup", "rows", "state"]),
            ("flows", &["lookup", "rows", "state", "."]),
            ("settings", &["lookup", "rows", "state", "."]),
            ("aligned", &["lookup", "rows", "state"]),
        ],
    ),
    (
        "analysis/device",
        &[
            ("accesses", &[]),
            ("activity", &["run_metrics", "transfers", "waiting", "."]),
            ("advice", &["activity", "charts", "memory", "run_metrics", "waiting", "."]),
            ("bounds", &["activity", "instructions", "run_metrics", "waiting", "."]),
            ("charts", &["activity", "run_metrics", "transfers", "waiting", "."]),
            ("compare", &["run_metrics", "waiting", "."]),
            ("instructions", &["activity", "layers", "waiting", "."]),
            ("layers", &["activity", "run_metrics", "waiting", "."]),
            ("memory", &["activity", "."]),
            ("roofline", &["layers", "run_metrics", "."]),
            ("run_metrics", &["activity", "waiting", "."]),
            ("transfers", &["activity", "waiting", "."]),
            ("waiting", &["accesses", "activity", "."]),
        ],
    ),
    (
        "app",
        &[
            ("open", &["storage", "wiring", "workers", "."]),
            ("shell", &["open", "storage", "wiring", "workers", "."]),
            ("storage", &["open", "wiring", "workers", "."]),
            ("wiring", &["open", "shell", "storage", "."]),
            ("workers", &["open", "shell", "storage", "wiring", "."]),
        ],
    ),
];

type Module = Vec<String>;

/// `src/views/mod.rs` and `src/views.rs` are both the module `views`.
fn module_of(path: &str) -> Module {
    let path = path.trim_start_matches("src/").trim_end_matches(".rs");
    let mut parts: Module = path.split('/').map(str::to_owned).collect();
    if parts.last().is_some_and(|last| last == "mod") {
        parts.pop();
    }
    parts
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The paths of a tree of `use`: `a::{b, c::d}` gives `a::b` and `a::c::d`.
fn leaves(tree: &str, before: &[String], out: &mut Vec<Module>) {
    let tree = tree.trim();
    let (head, list) = tree.split_once('{').map_or((tree, None), |(head, rest)| (head, rest.rsplit_once('}').map(|(list, _)| list)));
    let head = head.split(" as ").next().unwrap_or_default();
    let names = head.split("::").map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
    let path: Module = before.iter().cloned().chain(names).collect();
    let Some(list) = list else { return out.push(path) };
    let (mut depth, mut from) = (0, 0);
    for (at, c) in list.char_indices().chain([(list.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                if !list[from..at].trim().is_empty() {
                    leaves(&list[from..at], &path, out);
                }
                from = at + 1;
            }
            _ => {}
        }
    }
}

/// What follows `use` in a line that begins an import, whatever its visibility.
fn import_of(code: &str) -> Option<&str> {
    let after = code.strip_prefix("pub").map_or(code, str::trim_start);
    let after = if after.starts_with('(') { after.split_once(')')?.1.trim_start() } else { after };
    after.strip_prefix("use ")
}

/// Every path that a text names: those of its imports, and those that begin with `crate`, `self` or `super` in the code.
fn paths(text: &str) -> Vec<Module> {
    let mut out = Vec::new();
    let mut rest = String::new();
    let mut statement: Option<String> = None;
    for line in text.lines() {
        let code = line.trim_start();
        if let Some(open) = statement.as_mut() {
            open.push_str(code);
        } else if let Some(import) = import_of(code) {
            statement = Some(import.to_owned());
        } else {
            rest.push_str(line);
            rest.push('\n');
        }
        if let Some(done) = statement.take_if(|open| open.contains(';')) {
            leaves(done.split(';').next().unwrap_or_default(), &[], &mut out);
        }
    }
    for first in ["crate::", "self::", "super::"] {
        for (at, _) in rest.match_indices(first) {
            if !rest[..at].ends_with(|c: char| is_word(c) || c == ':') {
                let path = rest[at..].split(|c: char| !is_word(c) && c != ':').next().unwrap_or_default();
                out.push(path.split("::").filter(|name| !name.is_empty()).map(str::to_owned).collect());
            }
        }
    }
    out
}

/// The module that a path leads to, seen from `here`.
fn target(path: &[String], here: &Module, known: &BTreeSet<Module>) -> Option<Module> {
    let (first, rest) = path.split_first()?;
    let full: Module = match first.as_str() {
        "crate" => rest.to_vec(),
        "self" => [here.as_slice(), rest].concat(),
        "super" => {
            let n_up = path.iter().take_while(|name| *name == "super").count();
            [&here[..here.len().saturating_sub(n_up)], &path[n_up..]].concat()
        }
        _ => [here.as_slice(), path].concat(),
    };
    // A name that is no module of this file is of another crate.
    let is_child = !["crate", "self", "super"].contains(&first.as_str());
    let least = if is_child { here.len() + 1 } else { 1 };
    (least..=full.len()).rev().map(|n| full[..n].to_vec()).find(|module| known.contains(module))
}

type Arrows = BTreeMap<Module, BTreeSet<Module>>;

/// Who imports whom.
fn arrows() -> Arrows {
    let all: Vec<Source> = sources().into_iter().filter(|s| !is_test_file(&s.path) && !s.path.starts_with("src/bin/")).collect();
    let known: BTreeSet<Module> = all.iter().map(|s| module_of(&s.path)).collect();
    let of = |source: &Source| {
        let here = module_of(&source.path);
        let code: Vec<&str> = source.code().map(|(_, text)| text).collect();
        let found = paths(&code.join("\n")).iter().filter_map(|path| target(path, &here, &known)).filter(|to| *to != here).collect();
        (here, found)
    };
    all.iter().map(of).collect()
}

/// Sets of modules that all import each other, themselves or through others. What a module imports from below itself does not count.
fn circles(arrows: &Arrows) -> Vec<Vec<Module>> {
    let modules: Vec<&Module> = arrows.keys().collect();
    let number: BTreeMap<&Module, usize> = modules.iter().enumerate().map(|(at, module)| (*module, at)).collect();
    let imported = |from: &Module| -> Vec<usize> {
        let outside = arrows[from].iter().filter(|to| !to.starts_with(from));
        outside.filter_map(|to| number.get(to).copied()).collect()
    };
    let next: Vec<Vec<usize>> = modules.iter().map(|module| imported(module)).collect();
    let reached = |from: usize| {
        let (mut seen, mut open) = (vec![false; modules.len()], vec![from]);
        while let Some(at) = open.pop() {
            for &to in &next[at] {
                if !std::mem::replace(&mut seen[to], true) {
                    open.push(to);
                }
            }
        }
        seen
    };
    let far: Vec<Vec<bool>> = (0..modules.len()).map(reached).collect();
    let mut is_done = vec![false; modules.len()];
    let mut out = Vec::new();
    for from in 0..modules.len() {
        if far[from][from] && !is_done[from] {
            let circle: Vec<usize> = (0..modules.len()).filter(|&to| far[from][to] && far[to][from]).collect();
            circle.iter().for_each(|&at| is_done[at] = true);
            if circle.len() > 1 {
                out.push(circle.iter().map(|&at| modules[at].clone()).collect());
            }
        }
    }
    out
}

/// The folder that holds all of a circle.
fn folder_of(circle: &[Module]) -> String {
    let first = &circle[0];
    let n = (0..first.len()).take_while(|&n| circle.iter().all(|m| m.len() > n + 1 && m[n] == first[n])).count();
    first[..n].join("/")
}

#[test]
fn files_do_not_import_each_other_in_circles() {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for circle in circles(&arrows()) {
        found.entry(folder_of(&circle)).or_default().extend(circle.iter().map(|module| module.join("/")));
    }
    let broken = found.iter().map(|(folder, files)| format!("{folder}: {}", files.join(", ")));
    expect_none("files import each other in a circle: move what both need into a file below them", broken.collect());
}

#[test]
fn folders_import_only_what_they_may() {
    let arrows = arrows();
    let mut broken = Vec::new();
    for (root, table) in FOLDERS {
        let root: Module = root.split('/').map(str::to_owned).collect();
        let folder = |module: &Module| -> Option<String> {
            let first = module.strip_prefix(root.as_slice())?.first();
            let is_folder = |name: &&String| table.iter().any(|row| row.0 == name.as_str());
            Some(first.filter(is_folder).map_or_else(|| ".".to_owned(), Clone::clone))
        };
        for (from, all) in &arrows {
            let Some(own) = folder(from).filter(|own| own != ".") else { continue };
            let allowed = table.iter().find(|row| row.0 == own).map_or(&[][..], |row| row.1);
            for to in all {
                if let Some(other) = folder(to).filter(|other| *other != own && !allowed.contains(&other.as_str())) {
                    broken.push(format!("{}: {own} imports {other} ({})", from.join("/"), to.join("/")));
                }
            }
        }
    }
    expect_none("a folder imports one beside it that it may not (the table is at the head of tests/tidy/circles.rs)", broken);
}

#[test]
fn imports_and_circles_are_seen() {
    let text = "use crate::a::{b, c::{self, D}};\npub(super) use super::e;\nfn f() { super::g::h(); let x = crate::i::J; }";
    let found: Vec<String> = paths(text).iter().map(|path| path.join("::")).collect();
    assert_eq!(found, ["crate::a::b", "crate::a::c::self", "crate::a::c::D", "super::e", "crate::i::J", "super::g::h"]);
    let module = |name: &str| vec!["r".to_owned(), name.to_owned()];
    let to = |names: &[&str]| names.iter().map(|n| module(n)).collect::<BTreeSet<_>>();
    let arrows: Arrows =
        [(module("a"), to(&["b"])), (module("b"), to(&["c"])), (module("c"), to(&["a", "d"])), (module("d"), to(&[]))].into();
    assert_eq!(circles(&arrows), [vec![module("a"), module("b"), module("c")]]);
    assert_eq!(folder_of(&circles(&arrows)[0]), "r");
}

/// A subject line says what changes in 72 characters; commits before this rule are as they are.
#[test]
fn subjects_of_commits_are_short() {
    const SINCE: &str = "63e1099";
    const MOST: usize = 72;
    let range = format!("{SINCE}..HEAD");
    let log =
        std::process::Command::new("git").arg("-C").arg(super::root()).args(["log", "--no-merges", "--format=%h %s", &range]).output();
    // Outside a checkout, and in one without that commit, there is nothing to look at.
    let Ok(log) = log.map(|out| String::from_utf8_lossy(&out.stdout).into_owned()) else { return };
    let subject = |line: &str| line.split_once(' ').map_or(0, |(_, subject)| subject.chars().count());
    let broken = log.lines().filter(|line| subject(line) > MOST).map(str::to_owned).collect();
    expect_none("the subject of a commit is longer than 72 characters", broken);
}
