//! Runs with planted faults, and without: every fault is named, and nothing else.

use super::{named, parts};
use crate::common::made_fleet::{Fault, Fleet};
use axonscope::analysis::fleet::{merge, summary};
use axonscope::model::fleet::FleetRun;

/// Planted and named faults of some runs.
#[derive(Default)]
struct Score {
    n_planted: usize,
    n_named: usize,
    n_right: usize,
    wrong: Vec<String>,
}

impl Score {
    fn add(&mut self, fleet: &Fleet, run: &FleetRun) {
        let found = summary(run);
        let planted: Vec<(String, String)> =
            fleet.faults.iter().map(|f| f.finding()).map(|(kind, subject)| (kind.into(), subject)).collect();
        let named = named(&found);
        self.n_planted += planted.len();
        self.n_named += named.len();
        self.n_right += planted.iter().filter(|p| named.contains(p)).count();
        let about = format!("{} ranks, seed {}, {:?}", fleet.n_ranks, fleet.seed, fleet.faults);
        self.wrong.extend(planted.iter().filter(|p| !named.contains(p)).map(|p| format!("missed {p:?} of {about}")));
        self.wrong.extend(named.iter().filter(|n| !planted.contains(n)).map(|n| format!("named {n:?} of {about}")));
        if !found.notes.is_empty() {
            self.wrong.push(format!("{:?} of {about}", found.notes));
        }
    }

    fn check(&self, what: &str) {
        println!("planted faults, {what}: recall {}/{}, precision {}/{}", self.n_right, self.n_planted, self.n_right, self.n_named);
        assert_eq!(self.wrong, [""; 0]);
        assert_eq!((self.n_right, self.n_named), (self.n_planted, self.n_planted));
    }
}

/// None, each alone, all at once, and several of a kind: of a fleet with so many ranks, hosts and tensor groups.
fn plans(fleet: &Fleet, seed: u32) -> Vec<Vec<Fault>> {
    let (n, hosts, groups) = (fleet.n_ranks, fleet.n_ranks / fleet.per_host, fleet.n_ranks / fleet.tensor);
    let at = |what: u32, n: u32| (seed.wrapping_mul(7919) + what * 104_729) % n;
    let stalled = at(3, hosts);
    // A rank on a stalled host waits for data too; the planted faults are on others.
    let elsewhere = |rank: u32| if rank / fleet.per_host == stalled { (rank + fleet.per_host) % n } else { rank };
    let slow = elsewhere(at(1, n));
    let late = match elsewhere(at(4, n)) {
        same if same == slow => elsewhere((same + 1) % n),
        other => other,
    };
    let all = [Fault::SlowDevice(slow), Fault::SlowLink(at(2, groups)), Fault::DataStall(stalled), Fault::LateRank(late)];
    let mut out = vec![Vec::new(), all.to_vec()];
    out.extend(all.map(|fault| vec![fault]));
    out.push(vec![Fault::SlowDevice(0), Fault::SlowDevice(n - 1), Fault::LateRank(n / 2)]);
    out
}

fn small(seed: u64) -> Fleet {
    Fleet { n_ranks: 8, tensor: 2, per_host: 2, seed, ..Fleet::default() }
}

#[test]
fn faults_among_8_ranks_are_named_and_nothing_else() {
    let mut score = Score::default();
    for seed in 0..5 {
        for faults in plans(&small(seed), seed as u32) {
            let fleet = Fleet { faults, ..small(seed) };
            score.add(&fleet, &merge(&parts(&fleet)).0);
        }
    }
    score.check("8 ranks, 5 seeds");
}

#[test]
fn faults_among_64_ranks_are_named_and_nothing_else() {
    let mut score = Score::default();
    for seed in 10..12 {
        for faults in plans(&Fleet { n_ranks: 64, ..Fleet::default() }, seed as u32) {
            let fleet = Fleet { n_ranks: 64, n_steps: 3, faults, seed, ..Fleet::default() };
            score.add(&fleet, &merge(&parts(&fleet)).0);
        }
    }
    score.check("64 ranks, 2 seeds");
}

/// What the program prints of the runs that the page is tested with (`e2e/fleet.spec.js`).
#[test]
fn report_names_every_planted_fault_and_nothing_else() {
    let cases: [(&str, &[&str]); 4] = [
        ("8_ranks_4_faults", &["data_stall host node3", "slow_host rank 1", "slow_link group tp2", "slow_device rank 5"]),
        ("32_ranks_4_faults", &["data_stall host node3", "slow_host rank 6", "slow_link group tp2", "slow_device rank 13"]),
        ("512_ranks_4_faults", &["data_stall host node41", "slow_host rank 290", "slow_link group tp77", "slow_device rank 137"]),
        ("32_ranks_no_faults", &[]),
    ];
    for (name, planted) in cases {
        let file = format!("{}/tests/fixtures/axonrun/{name}.axonrun", env!("CARGO_MANIFEST_DIR"));
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_axonscope")).args(["report", &file, "--query", "fleet"]).output();
        let report: serde_json::Value = serde_json::from_slice(&output.expect("the program runs").stdout).expect("an answer");
        let found = report["answer"]["findings"].as_array().expect("findings");
        let mut named: Vec<String> = found
            .iter()
            .map(|f| format!("{} {}", f["kind"].as_str().unwrap_or_default(), f["subject"].as_str().unwrap_or_default()))
            .collect();
        let mut planted: Vec<&str> = planted.to_vec();
        named.sort_unstable();
        planted.sort_unstable();
        assert_eq!(named, planted, "{name}");
    }
}

/// Through traces once, and without writing them for more seeds.
#[test]
fn faults_among_512_ranks_are_named_and_nothing_else() {
    let mut score = Score::default();
    let of = |faults: Vec<Fault>, seed: u64| Fleet { n_ranks: 512, n_steps: 3, faults, seed, ..Fleet::default() };
    let all = plans(&of(Vec::new(), 20), 20);
    let fleet = of(all[1].clone(), 20);
    score.add(&fleet, &merge(&parts(&fleet)).0);
    for seed in 21..24 {
        for faults in plans(&of(Vec::new(), seed), seed as u32) {
            let fleet = of(faults, seed);
            score.add(&fleet, &fleet.summary());
        }
    }
    score.check("512 ranks, 4 seeds");
}
