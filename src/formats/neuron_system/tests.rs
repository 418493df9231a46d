//! The documented records, and what can be wrong with them.

use super::*;
use crate::base::SliceId;
use crate::formats::Imported;
use crate::formats::import;
use proptest::prelude::*;

fn open(text: &str) -> Result<Imported, ImportError> {
    let (claim, outcome) = import::import(&InputSet::from_bytes("unknown", text.as_bytes().to_vec()))?.remove(0);
    assert_eq!(claim.format, ID);
    outcome.map(|(imported, _)| imported)
}

fn rows(imported: &Imported) -> Vec<String> {
    let p = &imported.profile;
    assert_eq!(p.check(), Ok(()));
    let row = |i: u32| {
        let slice = SliceId(i);
        let track = p.track_of(slice).map(|t| p.track_path(t)).unwrap_or_default();
        format!("{track}: {} {}+{}", p.name_of(slice), p.slices.start[slice.index()], p.slices.duration[slice.index()])
    };
    (0..p.slices.len() as u32).map(row).collect()
}

const DOCUMENTED: &str = r#"{"trace_events": {"Neuron_Runtime_API_Event":{"duration":27094,"group":"nrt-nc-000","id":1,"instance_id":"i-0f","lnc_idx":"0","name":"nrt_tensor_write","parent_id":0,"process_id":"1627711","thread_id":1627711,"timestamp":1729888371056597613,"type":11},
 "Framework_Event":{"duration":3758079,"group":"framework-80375131","instance_id":"i-0f","name":"PjitFunction(matmul_allgather)","process_id":"701","thread_id":80375131,"timestamp":1729888371056600000,"type":99999}},
 "mem_usage": [{"duration":1,"instance_id":"i-0f","percent_usage":9.5,"timestamp":1729888371056598000,"usage":51805806592}],
 "cpu_util": [{"cpu_id":"47","duration":1,"instance_id":"i-0f","timestamp":1729888371056599000,"util":2.5}]}"#;

#[test]
fn the_documented_records_are_shown() {
    let imported = open(DOCUMENTED).expect("opens");
    let wanted = [
        "i-0f / PID 701 / framework / TID 80375131: PjitFunction(matmul_allgather) 2387+3758079",
        "i-0f / PID 1627711 / neuron_rt / NC 0: nrt_tensor_write 0+27094",
    ];
    assert_eq!(rows(&imported), wanted);
    let curves: Vec<(&str, f64)> = imported.profile.counters.iter().map(|c| (c.series[0].name.as_str(), c.series[0].values[0])).collect();
    assert_eq!(curves, [("CPU 47", 2.5), ("Memory use", 51_805_806_592.0), ("Memory use, share", 9.5)]);
    assert_eq!((imported.ledger.read, imported.ledger.shown), (4, 4));
    assert_eq!(imported.profile.meta.origin_epoch_ns, Some(1_729_888_371_056_597_613));
    let listed = DOCUMENTED
        .replacen("{\"Neuron_Runtime_API_Event\":", "[", 1)
        .replacen("\n \"Framework_Event\":", "", 1)
        .replacen("99999}}", "99999}]", 1);
    assert_eq!(rows(&open(&listed).expect("opens")), wanted);
}

fn runtime(events: &str) -> String {
    format!(r#"{{"events": [{events}], "data_version": 2}}"#)
}

#[test]
fn starts_and_stops_are_paired_and_device_clocks_aligned() {
    let text = runtime(
        r#"{"event_type":"nrt_execute","phase":"start","nc_idx":3,"tracking_id":7,"thread_id":1,"data":{},"timestamp_ns":1000},
        {"event_type":"timestamp_sync_point","phase":"instant","nc_idx":3,"tracking_id":8,"data":{"exec_id":"e","nc_timestamp_ns":500000,"cpu_timestamp_ns":1100},"timestamp_ns":1100},
        {"event_type":"timestamp_sync_point","phase":"instant","nc_idx":3,"tracking_id":9,"data":{"exec_id":"e","nc_timestamp_ns":500100,"cpu_timestamp_ns":1203},"timestamp_ns":1203},
        {"event_type":"nc_exec_running","phase":"start","nc_idx":3,"tracking_id":10,"data":{"exec_id":"e","nc_timestamp_ns":500050},"timestamp_ns":9},
        {"event_type":"nc_exec_running","phase":"stop","nc_idx":3,"tracking_id":10,"data":{"exec_id":"e","nc_timestamp_ns":500090},"timestamp_ns":9},
        {"event_type":"nrt_execute","phase":"stop","nc_idx":3,"tracking_id":7,"thread_id":1,"data":{},"timestamp_ns":1300}"#,
    );
    let imported = open(&text).expect("opens");
    let process = "Host / Process not recorded";
    let wanted =
        [format!("{process} / neuron_rt / NC 3: nrt_execute 0+300"), format!("{process} / neuron_hw / NC 3: nc_exec_running 150+40")];
    assert_eq!(rows(&imported), wanted);
    assert_eq!(imported.profile.instants.time, [100, 203]);
    let fact = |name: &str| imported.profile.meta.facts.iter().find(|f| f.name == name).map(|f| f.value.clone());
    assert_eq!((fact("Sync points").as_deref(), fact("Residual").as_deref()), (Some("2"), Some("3 ns")));
}

#[test]
fn missing_and_early_stops_are_counted() {
    let one = |name: &str, phase: &str, id: u32, time: i64| {
        format!(r#"{{"event_type":"{name}","phase":"{phase}","nc_idx":0,"tracking_id":{id},"timestamp_ns":{time}}}"#)
    };
    let events = [one("a", "start", 1, 10), one("b", "start", 2, 50), one("b", "stop", 2, 40), one("c", "stop", 3, 60)].join(",");
    let imported = open(&runtime(&events)).expect("opens");
    let mut kinds: Vec<&str> = imported.ledger.skipped.iter().map(|s| s.kind.as_str()).collect();
    kinds.sort_unstable();
    assert_eq!((kinds, imported.profile.slices.len()), (vec!["bad_duration", "missing_stop", "stray_stop"], 2));
    assert!(open(r#"{"trace_events": []}"#).is_err_and(|e| e.to_string().contains("found none")));
}

/// The same as profilers since mid-2026 write it.
const RECENT: &str = r#"{"system_profile_metadata": [{"hbm_capacity_bytes": 100}], "trace_event": [{"name":"nc_exec_running","timestamp":1729888371056597613,
 "timestamp_unit":"ns","duration":27094,"process_id":"7","thread_id":1,"nc_idx":0,"lnc_idx":"0","device_core_idx":1,"exec_id":"e","model_name":"/a/b.neff","flow_id":["1"]},
 {"name":"nrt_execute","timestamp":1729888371056597000,"duration":30000,"process_id":"7","thread_id":1,"nc_idx":0,"flow_id":["1"]}],
 "device_mem_usage": [{"hbm_idx":0,"timestamp":1729888371056597613,"total_bytes":10,"weights_bytes":4}], "other": [{"a":1}], "one": {"b":2}, "version": 3}"#;

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_profiles_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0u8..4, any::<u8>()), 0..8),
        noise in prop::collection::vec(any::<u8>(), 0..60),
        is_recent: bool,
    ) {
        let mut bytes = if is_recent { RECENT } else { DOCUMENTED }.as_bytes().to_vec();
        for (at, what, byte) in changes {
            let at = at.index(bytes.len());
            match what {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                2 => drop(bytes.remove(at)),
                _ => bytes.truncate(bytes.len().min(at + bytes.len() / 2).max(1)),
            }
        }
        let noisy = [if is_recent { &b"{\"trace_event\":"[..] } else { b"{\"trace_events\":" }, &noise[..]].concat();
        for bytes in [bytes, noisy] {
            for (_, outcome) in import::import(&InputSet::from_bytes("x", bytes)).into_iter().flatten() {
                if let Ok((imported, _)) = outcome {
                    prop_assert_eq!(imported.profile.check(), Ok(()));
                }
            }
        }
    }
}

#[test]
fn events_hours_apart_are_reported() {
    let event = |timestamp: i64| {
        format!(
            r#"{{"instance_id":"i-0f","process_id":"7","thread_id":1,"trace_event_source":"neuron_rt","name":"nrt_execute","timestamp":{timestamp},"duration":50}}"#
        )
    };
    let of = |times: &[i64]| {
        let events: Vec<String> = times.iter().map(|t| event(*t)).collect();
        let text = format!(r#"{{"trace_events":[{}],"mem_usage":[],"cpu_util":[]}}"#, events.join(","));
        open(&text).expect("opens").ledger.skipped.iter().any(|s| s.reason.contains("more than an hour"))
    };
    let epoch = 1_729_888_371_000_000_000;
    assert!(of(&[12, epoch, epoch + 100]));
    assert!(!of(&[epoch, epoch + 100, epoch + 3_000_000_000]));
}
