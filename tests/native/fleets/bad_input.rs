//! What a run can be given beside whole traces and parts: each has a sentence, and the rest is merged.

use super::command::{Folder, OK, shown};
use crate::common::made_fleet::{EPOCH, Fleet};
use serde_json::Value;
use std::process::Command;

/// A small fleet.
fn four(seed: u64) -> Fleet {
    Fleet { n_ranks: 4, n_steps: 2, seed, ..Fleet::default() }
}

/// What the page and `report` say beside the values.
fn notes(folder: &Folder, run: &str) -> String {
    let report = folder.output(&["report", run, "--query", "fleet"]);
    let report: Value = serde_json::from_slice(&report.stdout).expect("an answer");
    let notes = report["answer"]["notes"].as_array().expect("notes");
    notes.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
}

#[test]
fn parts_of_several_runs_are_merged_with_a_note() {
    let folder = Folder::with("two-runs", &four(1));
    std::fs::rename(folder.0.join("traces"), folder.0.join("monday")).unwrap();
    std::fs::create_dir(folder.0.join("tuesday")).unwrap();
    four(2).traces().iter().for_each(|(name, json)| folder.write(&format!("tuesday/{name}"), json.as_bytes()));
    for run in ["monday", "tuesday"] {
        assert_eq!(folder.run(&["part", run, "-o", "parts"]), OK);
    }
    assert_eq!(folder.parts("parts").len(), 8);
    assert_eq!(folder.run(&["merge", "parts", "-o", "both.axonrun"]), OK);
    let notes = notes(&folder, "both.axonrun");
    assert!(notes.contains("Traces of 2 runs are merged here: monday, tuesday."), "{notes}");
    assert!(notes.contains("more than one trace; each counts: 0, 1, 2, 3"), "{notes}");
}

#[test]
fn ranks_that_are_missing_hosts_with_one_name_and_clocks_are_noted() {
    let folder = Folder::with("missing", &four(1));
    let traces = four(1).traces();
    // Rank 2 has no trace; rank 3 calls its host `node0` and its device 1 too, and its clock is a second ahead.
    std::fs::remove_file(folder.0.join("traces").join(&traces[2].0)).unwrap();
    let json = traces[3].1.replace(&EPOCH.to_string(), &(EPOCH + 1_000_000_000).to_string());
    let json = json.replace("\"device\": 3", "\"device\": 1").replace("\"pid\": 3, \"tid\": 7", "\"pid\": 1, \"tid\": 7");
    folder.write(&format!("traces/{}", traces[3].0), json.as_bytes());
    assert_eq!(folder.run(&["run", "traces", "-o", "run.axonrun"]), OK);
    let notes = notes(&folder, "run.axonrun");
    for part in
        ["1 of 4 ranks has no trace here: 2.", "Ranks 1 and 3 both used device 1 of host node0", "Clocks of the ranks differ by at least"]
    {
        assert!(notes.contains(part), "{part} in {notes}");
    }
}

#[test]
fn traces_without_steps_count_without_a_row_of_values() {
    let folder = Folder::with("no-steps", &Fleet { n_steps: 0, ..four(1) });
    folder.write("traces/empty.json", br#"{"traceEvents": []}"#);
    let (code, sentence) = folder.run(&["run", "traces", "-o", "run.axonrun"]);
    assert!(matches!(code, Some(0 | 1)), "{sentence}");
    // Work outside of any step is in no step, and still in the tables.
    let mm = r#"{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 10, "dur": 5}"#;
    for rank in 0..3 {
        let json = format!(r#"{{"schemaVersion": 1, "distributedInfo": {{"rank": {rank}, "world_size": 3}}, "traceEvents": [{mm}]}}"#);
        folder.write(&format!("traces/rank{rank}.json"), json.as_bytes());
    }
    let (code, sentence) = folder.run(&["run", "traces", "-o", "run.axonrun"]);
    assert!(matches!(code, Some(0 | 4)), "{code:?} {sentence}");
    let report = folder.output(&["report", "run.axonrun", "--query", "fleet"]);
    let report: Value = serde_json::from_slice(&report.stdout).expect("an answer");
    assert_eq!(report["answer"]["findings"].as_array().map(Vec::len), Some(0));
    assert!(report["answer"]["operators"].to_string().contains("aten::mm"));
}

#[cfg(unix)]
#[test]
fn storage_that_cannot_be_read_is_named_and_the_rest_is_merged() {
    let folder = Folder::with("unread", &four(1));
    // Gone, a pipe that nobody writes, and a directory that is in itself.
    std::os::unix::fs::symlink("/no/such/file", folder.0.join("traces/gone.json")).unwrap();
    assert!(Command::new("mkfifo").arg(folder.0.join("traces/pipe.json")).status().expect("mkfifo").success());
    std::os::unix::fs::symlink("..", folder.0.join("traces/loop")).unwrap();
    let (code, sentence) = folder.run(&["run", "traces", "-o", "run.axonrun"]);
    assert_eq!(code, Some(4), "{sentence}");
    for part in ["`traces/gone.json` could not be read", "found `traces/pipe.json`: a pipe"] {
        assert!(sentence.contains(part), "{part} in {sentence}");
    }
    let report = folder.output(&["report", "run.axonrun", "--query", "fleet"]);
    let report: Value = serde_json::from_slice(&report.stdout).expect("an answer");
    assert_eq!(report["answer"]["ranks"].as_array().map(Vec::len), Some(4), "no trace is lost, and none counts twice");
    // The same for parts: a directory and a link that lead nowhere.
    assert_eq!(folder.run(&["part", "traces", "-o", "parts"]).0, Some(4));
    std::os::unix::fs::symlink("/no/such/file", folder.0.join("parts/gone.part.parquet")).unwrap();
    let (code, sentence) = folder.run(&["merge", "parts", "-o", "merged.axonrun"]);
    assert!(code == Some(4) && sentence.contains("gone.part.parquet` could not be read"), "{code:?} {sentence}");
    assert_eq!(folder.read("merged.axonrun"), folder.read("run.axonrun"));
}

/// The limit of a file's size stands for a disk that is full: writing ends in the middle.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_no_half_result() {
    let folder = Folder::with("full", &four(1));
    assert_eq!(folder.run(&["part", "traces", "-o", "parts"]), OK);
    let old = b"the run of yesterday".to_vec();
    folder.write("kept.axonrun", &old);
    let limited = |arguments: &str| {
        // One block; the signal that would end the process is ignored, so that writing fails.
        let script = format!("trap '' XFSZ; ulimit -f 1; exec {} {arguments}", env!("CARGO_BIN_EXE_axonscope"));
        let output = Command::new("sh").arg("-c").arg(script).current_dir(&folder.0).output().expect("a shell");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for (arguments, sentence) in [
        ("run traces -o kept.axonrun", "`kept.axonrun` could not be written"),
        ("merge parts -o kept.axonrun", "`kept.axonrun` could not be written"),
        ("part traces -o more", "4 parts could not be written. The first: `more/"),
    ] {
        let (code, found) = limited(arguments);
        assert!(code == Some(1) && found.contains(sentence) && found.trim_end().ends_with('.'), "{arguments}: {code:?} {found}");
        assert_eq!(found.trim_end().lines().count(), 1, "one sentence: {found}");
    }
    assert_eq!(folder.read("kept.axonrun"), old, "the file that was there stays");
    assert!(folder.parts("more").is_empty(), "no part, and no temporary file");
    assert!(folder.parts(".").iter().all(|p| !shown(p).contains("partial")), "no temporary file is left");
}

/// Standard error may be a file on the disk that is full.
#[cfg(unix)]
#[test]
fn a_log_that_cannot_be_written_ends_no_run() {
    let folder = Folder::with("log", &four(1));
    std::os::unix::fs::symlink("/no/such/file", folder.0.join("traces/gone.json")).unwrap();
    let script = format!("{} run traces -o run.axonrun 2> /dev/full", env!("CARGO_BIN_EXE_axonscope"));
    let status = Command::new("sh").arg("-c").arg(script).current_dir(&folder.0).status().expect("a shell");
    assert_eq!(status.code(), Some(4));
    assert!(folder.0.join("run.axonrun").exists());
}

#[test]
fn a_reader_that_goes_away_is_no_panic() {
    let folder = Folder::with("pipe", &four(1));
    for arguments in ["part traces -o parts", "report traces --query operators", "compare traces traces"] {
        let script = format!("{} {arguments} | true", env!("CARGO_BIN_EXE_axonscope"));
        let output = Command::new("sh").arg("-c").arg(script).current_dir(&folder.0).output().expect("a shell");
        let found = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!found.contains("panicked"), "{arguments}: {found}");
    }
}
