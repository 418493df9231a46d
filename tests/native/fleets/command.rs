//! `axonscope part`, `merge` and `run` as programs.

use crate::common::made_fleet::{Fault, Fleet};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A directory that is removed at the end.
pub(super) struct Folder(pub(super) PathBuf);

impl Folder {
    pub(super) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("axonscope-fleet-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(path.join("traces")).expect("a place for files");
        Folder(path)
    }

    pub(super) fn with(name: &str, fleet: &Fleet) -> Self {
        let folder = Folder::new(name);
        fleet.traces().iter().for_each(|(name, json)| folder.write(&format!("traces/{name}"), json.as_bytes()));
        folder
    }

    pub(super) fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.0.join(name), bytes).expect("written");
    }

    pub(super) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.0.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// Runs the program here; its exit code and standard error.
    pub(super) fn run(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let output = self.output(arguments);
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    }

    pub(super) fn output(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_axonscope")).current_dir(&self.0).args(arguments).output().expect("the program runs")
    }

    pub(super) fn parts(&self, directory: &str) -> Vec<PathBuf> {
        let mut out: Vec<PathBuf> = std::fs::read_dir(self.0.join(directory)).unwrap().map(|e| e.unwrap().path()).collect();
        out.sort();
        out
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub(super) fn shown(path: &Path) -> &str {
    path.to_str().unwrap()
}

pub(super) const OK: (Option<i32>, String) = (Some(0), String::new());

#[test]
fn run_is_part_and_merge_in_any_tree() {
    let folder = Folder::with("trees", &Fleet { n_ranks: 8, n_steps: 2, seed: 5, faults: vec![Fault::LateRank(3)], ..Fleet::default() });
    assert_eq!(folder.run(&["run", "traces", "-o", "run.axonrun"]), OK);
    assert_eq!(folder.run(&["part", "traces", "-o", "parts"]), OK);
    let parts = folder.parts("parts");
    assert_eq!(parts.len(), 8);
    assert_eq!(folder.run(&["merge", "parts", "-o", "merged.axonrun"]), OK);
    let want = folder.read("run.axonrun");
    assert_eq!(folder.read("merged.axonrun"), want);
    // One task for each trace, then a tree.
    for (at, (name, _)) in (Fleet { n_ranks: 8, n_steps: 1, ..Fleet::default() }).traces().iter().enumerate() {
        let directory = if at % 3 == 0 { "left" } else { "right" };
        assert_eq!(folder.run(&["part", &format!("traces/{name}"), "-o", directory, "--root", "traces"]), OK);
    }
    assert_eq!(folder.run(&["merge", "left", "-o", "left.axonrun"]), OK);
    let mut arguments = vec!["merge"];
    let right = folder.parts("right");
    arguments.extend(right.iter().rev().map(|p| shown(p)));
    arguments.extend(["left.axonrun", "-o", "tree.axonrun"]);
    assert_eq!(folder.run(&arguments), OK);
    assert_eq!(folder.read("tree.axonrun"), want);
    assert!(folder.parts(".").iter().all(|p| !shown(p).contains("partial")), "no temporary file is left");
    let report = folder.output(&["report", "run.axonrun", "--query", "fleet"]);
    let report: Value = serde_json::from_slice(&report.stdout).expect("an answer");
    assert_eq!(report["answer"]["ranks"].as_array().map(Vec::len), Some(8));
    assert_eq!(report["answer"]["findings"][0]["subject"], "rank 3");
    assert_eq!(report["profiles"][0]["format"], "axonrun");
    // The page finds the trace of a cell by this hash.
    let rank = &report["answer"]["ranks"][2]["trace"];
    let file = folder.read(rank["name"].as_str().expect("a name"));
    let member = axonscope::base::Member::from_bytes("any", file);
    assert_eq!(rank["hash"], axonscope::base::hash::content_hash(&[member]).expect("a hash"));
}

#[test]
fn other_and_broken_files_are_named_and_the_rest_is_merged() {
    let fleet = Fleet { n_ranks: 4, n_steps: 2, seed: 2, ..Fleet::default() };
    let folder = Folder::with("broken", &fleet);
    let traces = fleet.traces();
    folder.write("traces/README.md", b"# A run");
    folder.write("traces/copy.json", traces[0].1.as_bytes());
    folder.write("traces/empty.json", b"");
    let (code, sentence) = folder.run(&["run", "traces", "-o", "run.axonrun"]);
    assert_eq!(code, Some(0), "{sentence}");
    for part in ["`traces/copy.json`", "counts once", "2 files skipped: no PyTorch traces"] {
        assert!(sentence.contains(part), "{part} in {sentence}");
    }
    // A gzip file that is cut off is a trace as far as it goes.
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, traces[1].1.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    folder.write("traces/cut.json.gz", &packed[..packed.len() / 2]);
    let (code, sentence) = folder.run(&["part", "traces", "-o", "parts"]);
    assert_eq!(code, Some(0), "{sentence}");
    assert_eq!(folder.parts("parts").len(), 5, "what is left of a cut trace counts, with its loss");
    assert_eq!(folder.run(&["merge", "parts", "-o", "cut.axonrun"]), OK);
    let report = folder.output(&["report", "cut.axonrun", "--query", "fleet"]);
    let report: Value = serde_json::from_slice(&report.stdout).expect("an answer");
    let losses = report["answer"]["ranks"].as_array().unwrap().iter().filter(|r| r["n_concerns"].as_u64() > Some(0)).count();
    assert_eq!(losses, 1, "the cut one says so");
}

#[test]
fn damaged_parts_and_other_versions_are_refused_with_a_sentence() {
    let folder = Folder::with("damaged", &Fleet { n_ranks: 4, n_steps: 1, seed: 2, ..Fleet::default() });
    assert_eq!(folder.run(&["part", "traces", "-o", "parts"]), OK);
    let parts = folder.parts("parts");
    let bytes = std::fs::read(&parts[0]).unwrap();
    std::fs::write(&parts[0], &bytes[..bytes.len() - 20]).unwrap();
    let text = String::from_utf8_lossy(&std::fs::read(&parts[1]).unwrap()).into_owned();
    assert!(text.contains("axonscope_part_version"), "the version is in the footer");
    let mut other = std::fs::read(&parts[1]).unwrap();
    let at = other.windows(22).rposition(|w| w == b"axonscope_part_version").unwrap();
    // The value follows its key: a length and one digit.
    let digit = at + 22 + other[at + 22..].iter().position(|b| *b == b'1').unwrap();
    other[digit] = b'7';
    std::fs::write(&parts[1], other).unwrap();
    folder.write("parts/notes.txt", b"x");
    let (code, sentence) = folder.run(&["merge", "parts", "-o", "run.axonrun"]);
    assert_eq!(code, Some(4), "{sentence}");
    for part in ["expected version 1 of a part, found version 7", "cannot be read", "1 file skipped"] {
        assert!(sentence.contains(part), "{part} in {sentence}");
    }
    // A merge of one, and of one part twice.
    assert_eq!(folder.run(&["merge", shown(&parts[2]), "-o", "one.axonrun"]), OK);
    let (code, sentence) = folder.run(&["merge", shown(&parts[2]), "one.axonrun", shown(&parts[2]), "-o", "again.axonrun"]);
    assert!(code == Some(0) && sentence.matches("counts once").count() == 2, "{code:?} {sentence}");
    assert_eq!(folder.read("again.axonrun"), folder.read("one.axonrun"));
    let (code, sentence) = folder.run(&["merge", "one.axonrun", "one.axonrun", "-o", "again.axonrun"]);
    assert!(code == Some(1) && sentence.contains("merge the parts instead"), "{code:?} {sentence}");
}

#[test]
fn nothing_half_is_left_where_writing_fails() {
    let folder = Folder::with("refused", &Fleet { n_ranks: 4, n_steps: 1, seed: 2, ..Fleet::default() });
    let (code, sentence) = folder.run(&["run", "traces", "-o", "no/such/place/run.axonrun"]);
    assert!(code == Some(1) && sentence.contains("could not be written"), "{code:?} {sentence}");
    std::fs::create_dir(folder.0.join("taken.axonrun")).unwrap();
    let (code, sentence) = folder.run(&["run", "traces", "-o", "taken.axonrun"]);
    assert!(code == Some(1) && sentence.contains("could not be written"), "{code:?} {sentence}");
    assert!(folder.parts(".").iter().all(|p| !shown(p).contains("partial")), "no temporary file is left");
    let (code, sentence) = folder.run(&["run", "missing", "-o", "run.axonrun"]);
    assert!(code == Some(1) && sentence.contains("missing"), "{code:?} {sentence}");
    std::fs::create_dir(folder.0.join("empty")).unwrap();
    let (code, sentence) = folder.run(&["run", "empty", "-o", "run.axonrun"]);
    assert!(code == Some(1) && sentence.contains("No PyTorch trace"), "{code:?} {sentence}");
}

/// `script` gives the command a terminal.
#[cfg(target_os = "linux")]
#[test]
fn a_terminal_shows_progress_with_rate_and_time_left() {
    let folder = Folder::with("progress", &Fleet { n_ranks: 4, n_steps: 2, seed: 3, ..Fleet::default() });
    for (arguments, unit) in
        [("part traces -o parts", "iB/s, "), ("merge parts -o run.axonrun", "/s, "), ("run traces -o run.axonrun", "iB/s, ")]
    {
        let command = format!("{} {arguments}", env!("CARGO_BIN_EXE_axonscope"));
        let shown = |program: &str, options: &[&str]| {
            let output = Command::new(program).args(options).arg(&command).current_dir(&folder.0).output().expect(program);
            assert!(output.status.success(), "{arguments}");
            [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat()
        };
        let terminal = shown("script", &["--quiet", "--return", "/dev/null", "--command"]);
        assert!(terminal.contains(unit) && terminal.contains(" left"), "{arguments}: {terminal}");
        assert!(!shown("sh", &["-c"]).contains(" left"), "{arguments}: no bar in a log");
    }
}
