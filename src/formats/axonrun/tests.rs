use super::*;
use crate::model::fleet::{FleetTrace, N_METRICS, TraceMeta};

fn run(n: usize) -> FleetRun {
    let trace = |i: usize| FleetTrace {
        meta: TraceMeta { rank: Some(i as u32), host: "node0".into(), name: format!("rank{i}.json"), id: i as u64, ..TraceMeta::default() },
        steps: vec![3, 4, 5],
        cells: (0..3 * N_METRICS).map(|c| (c * 700 + i) as u16).collect(),
        ..FleetTrace::default()
    };
    FleetRun { traces: (0..n).map(trace).collect(), ..FleetRun::default() }
}

fn read(bytes: &[u8]) -> Result<FleetRun, ImportError> {
    decode(&|at, n| Ok(bytes[at as usize..(at + n) as usize].to_vec()), bytes.len() as u64, "run.axonrun")
}

#[test]
fn what_is_written_is_read() {
    for n in [0, 1, 7] {
        let run = run(n);
        assert_eq!(read(&encode(&run).unwrap()), Ok(run));
    }
}

#[test]
fn every_cut_has_a_sentence() {
    let bytes = encode(&run(3)).unwrap();
    for len in 0..bytes.len() {
        let error = read(&bytes[..len]).expect_err("a cut file").to_string();
        assert!(error.contains("expected") && error.ends_with('.'), "{error}");
    }
}

#[test]
fn another_version_is_refused() {
    let mut bytes = encode(&run(1)).unwrap();
    bytes[8] = 9;
    let error = read(&bytes).unwrap_err().to_string();
    assert!(error.contains("found version 9"), "{error}");
}

#[cfg(not(target_arch = "wasm32"))]
proptest::proptest! {
    #[test]
    fn damaged_bytes_never_panic(at in 0usize..400, value: u8) {
        let mut bytes = encode(&run(2)).unwrap();
        let at = at % bytes.len();
        bytes[at] = value;
        let _ = read(&bytes);
    }
}
