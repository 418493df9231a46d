//! Every command on damaged files: an exit code of the table, a sentence where it is not 0, and no panic.

use super::command::Folder;
use crate::common::made_fleet::{Fault, Fleet};
use std::process::Output;

/// Numbers that look random.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n.max(1)
    }
}

/// A file with some bytes changed, cut out, repeated or cut off.
fn damaged(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for _ in 0..1 + dice.below(4) {
        let at = dice.below(out.len());
        match dice.below(5) {
            0 => out.truncate(at),
            1 => drop(out.drain(at..(at + 1 + dice.below(40)).min(out.len()))),
            2 => {
                let piece: Vec<u8> = out[at..(at + 60).min(out.len())].to_vec();
                out.splice(at..at, piece);
            }
            // Numbers and lengths are where damage hurts most.
            3 => {
                let digit = (at..out.len()).find(|i| out[*i].is_ascii_digit());
                if let Some(i) = digit {
                    out.splice(i..=i, b"99999999999999999999".iter().copied());
                }
            }
            _ => {
                if let Some(byte) = out.get_mut(at) {
                    *byte = dice.below(256) as u8;
                }
            }
        }
    }
    out
}

fn check(output: &Output, what: &str) {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let code = output.status.code();
    assert!(matches!(code, Some(0..=4)) && !said.contains("panicked"), "{what}: {code:?} {said}");
    // Where nothing was done there is a sentence; a range that is too large is an error of the arguments.
    if matches!(code, Some(1 | 4)) {
        let last = said.trim_end();
        assert!(!last.is_empty() && (last.ends_with('.') || last.ends_with('`')), "{what}: {code:?} {said}");
    }
}

#[test]
fn no_command_panics_on_damaged_files() {
    let folder = Folder::with("hostile", &Fleet { n_ranks: 4, n_steps: 2, faults: vec![Fault::LateRank(1)], seed: 1, ..Fleet::default() });
    assert_eq!(folder.run(&["part", "traces", "-o", "parts"]).0, Some(0));
    assert_eq!(folder.run(&["merge", "parts", "-o", "run.axonrun"]).0, Some(0));
    let trace = std::fs::read(&folder.parts("traces")[1]).unwrap();
    let part = std::fs::read(&folder.parts("parts")[1]).unwrap();
    let run = folder.read("run.axonrun");
    let fixture = |name: &str| std::fs::read(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).expect("a fixture");
    let neuron = fixture("tests/cases/neuron_json/odd/odd.json");
    let mut dice = Dice(28);
    for round in 0..12 {
        folder.write("bad.json", &damaged(&trace, &mut dice));
        folder.write("bad.part.parquet", &damaged(&part, &mut dice));
        folder.write("bad.axonrun", &damaged(&run, &mut dice));
        folder.write("bad-neuron.json", &damaged(&neuron, &mut dice));
        let good = folder.parts("traces")[0].to_str().unwrap().to_string();
        let commands: [&[&str]; 16] = [
            &["report", "bad.json", "--query", "overview"],
            &["report", "bad.json", "--query", "distributed"],
            &["report", "bad.axonrun", "--query", "fleet"],
            &["report", "bad.part.parquet", "--query", "import"],
            &["report", "bad-neuron.json", "--query", "bounds"],
            &["part", "bad.json", "-o", "out"],
            &["run", "bad.json", good.as_str(), "-o", "out.axonrun"],
            &["merge", "bad.part.parquet", "-o", "out.axonrun"],
            &["merge", "bad.axonrun", "parts", "-o", "out.axonrun"],
            &["merge", "bad.axonrun", "-o", "out.axonrun"],
            &["compare", "bad.json", good.as_str(), "--by", "operator,kernel,shape,step", "--fail-over", "5%"],
            &["compare", "bad-neuron.json", "bad-neuron.json", "--markdown"],
            &["convert", "bad.json", "-o", "tables"],
            &["convert", "bad-neuron.json", "-o", "tables"],
            &["table", "bad.json", "bad-neuron.json"],
            &["view", "bad.json", "--page", "parts"],
        ];
        for arguments in commands {
            let output = folder.output(arguments);
            check(&output, &format!("round {round}: {arguments:?}"));
            let _ = std::fs::remove_dir_all(folder.0.join("tables"));
        }
    }
}

#[test]
fn every_command_has_examples_and_exit_codes_in_its_help() {
    let folder = Folder::new("help");
    for command in ["report", "compare", "convert", "table", "view", "part", "merge", "run"] {
        let output = folder.output(&[command, "--help"]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(0));
        assert!(text.contains("Examples:") && text.contains(&format!("axonscope {command} ")), "{command}: {text}");
        assert!(text.contains("Exit codes: 0 "), "{command}: {text}");
        let wrong = folder.output(&[command, "--no-such-option"]);
        assert_eq!(wrong.status.code(), Some(2), "{command}");
    }
}
