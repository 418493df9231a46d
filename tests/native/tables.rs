//! Tables of profiles: parts that add up, columns on their own, and the values that views show.

use crate::common::{conformance, open};
use axonscope::analysis::torch::kernels::KernelsQuery;
use axonscope::base::{DurationNs, InputSet, TimeNs, TimeRange};
use axonscope::engine::query::{BoundsQuery, ConvertedTablesQuery, OperatorsQuery, TablePartQuery};
use axonscope::engine::tables::archive::TableArchive;
use axonscope::engine::tables::{Part, Table, Values};
use axonscope::engine::{Answer, Session};
use axonscope::formats::import;
use std::collections::{BTreeMap, BTreeSet};

fn session(path: &std::path::Path) -> Session {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let (claim, outcome) = import::import(&InputSet::from_bytes(&name, std::fs::read(path).unwrap())).unwrap().remove(0);
    let (imported, readable) = outcome.unwrap();
    Session::new(claim, readable, imported)
}

fn trace(path: &str) -> Option<Session> {
    Some(session(&conformance("kineto/traces")?.join(path)))
}

fn column(found: &(Table, Part), name: &str) -> Values {
    let at = found.0.columns.iter().position(|c| c.name == name).unwrap_or_else(|| panic!("no column {name}"));
    found.1.columns[at].clone()
}

fn ints(found: &(Table, Part), name: &str) -> Vec<Option<i64>> {
    let Values::Ints(values) = column(found, name) else { panic!("{name} holds no numbers") };
    values
}

fn texts(found: &(Table, Part), name: &str) -> Vec<Option<String>> {
    match column(found, name) {
        Values::Texts(values) => values,
        Values::Words(words) => words.iter().map(|word| word.map(String::from)).collect(),
        other => panic!("{name} holds no texts: {other:?}"),
    }
}

fn whole(session: &Session, table: &str) -> (Table, Part) {
    session.table_part(table, &[], None, 0, usize::MAX).unwrap()
}

/// Traces with kernels of three vendors, one without a device.
const TRACES: [&str; 3] = [
    "tracelens-traces/h100/gaunernst_bert-small-uncased__1016001.json.gz",
    "tracelens-traces/mi300/gaunernst_bert-small-uncased__1016001.json.gz",
    "local-traces/cpu_single/worker0.1795203847522487121.pt.trace.json.gz",
];

#[test]
fn kernels_add_up_to_the_rows_of_the_view() {
    for path in TRACES {
        let Some(session) = trace(path) else { return };
        let found = whole(&session, "kernel");
        let mut sums: BTreeMap<String, (u64, i64)> = BTreeMap::new();
        for (name, dur) in texts(&found, "name").into_iter().zip(ints(&found, "dur")) {
            let sum = sums.entry(name.unwrap()).or_default();
            *sum = (sum.0 + 1, sum.1 + dur.unwrap());
        }
        let kernels = session.ask(&KernelsQuery::default()).unwrap();
        for row in &kernels.rows {
            assert_eq!(sums.get(&row.name), Some(&(row.calls, row.total.0)), "{path} {}", row.name);
        }
        // An operator holds its kernel's launch, and starts before it.
        let slices = whole(&session, "slice");
        let (ts, names) = (ints(&slices, "ts"), texts(&slices, "name"));
        let operators = ints(&found, "operator_id");
        for (launch, operator) in ints(&found, "launch_id").into_iter().zip(&operators) {
            if let (Some(launch), Some(operator)) = (launch, operator) {
                assert!(ts[*operator as usize] <= ts[launch as usize], "{path} {:?}", names[*operator as usize]);
            }
        }
        assert!(found.1.n_rows == 0 || operators.iter().flatten().count() > found.1.n_rows / 2, "{path}: kernels have operators");
    }
}

#[test]
fn self_times_add_up_to_the_operators_view() {
    for path in TRACES {
        let Some(session) = trace(path) else { return };
        let found = whole(&session, "slice");
        // What the profiler records of itself, on tracks of kind "other", is not in the view.
        let kinds = texts(&whole(&session, "track"), "kind");
        let is_work = ints(&found, "track_id").into_iter().map(|track| kinds[track.unwrap() as usize].as_deref() != Some("other"));
        let mut sums: BTreeMap<String, i64> = BTreeMap::new();
        for ((name, own), _) in texts(&found, "name").into_iter().zip(ints(&found, "self_dur")).zip(is_work).filter(|(_, is_work)| *is_work)
        {
            *sums.entry(name.unwrap_or_default()).or_default() += own.unwrap();
        }
        let view = session.ask(&OperatorsQuery::default()).unwrap();
        // A name has a row for each device that it ran on.
        let mut rows: BTreeMap<String, i64> = BTreeMap::new();
        for row in &view.rows {
            *rows.entry(row.name.clone()).or_default() += row.self_time.0;
        }
        assert!(rows.len() > 10, "{path}");
        let differs: Vec<_> =
            sums.iter().filter(|(name, own)| rows.get(*name) != Some(own)).map(|(name, own)| (name, own, rows.get(name))).collect();
        assert!(differs.is_empty() && rows.len() == sums.len(), "{path}: {} and {} names, {differs:?}", rows.len(), sums.len());
    }
}

#[test]
fn parts_and_single_columns_are_those_of_the_whole() {
    for path in TRACES {
        let Some(session) = trace(path) else { return };
        for table in session.tables() {
            if table.name == "args" {
                continue;
            }
            let all = whole(&session, &table.name);
            assert_eq!(all.1.next, None);
            // A third at a time, one column at a time.
            let step = all.1.n_rows.div_ceil(3).max(1);
            for (at, of) in table.columns.iter().enumerate() {
                let mut found: Vec<Values> = Vec::new();
                let mut from = Some(0u64);
                while let Some(first) = from {
                    let (one, part) = session.table_part(&table.name, &[of.name.to_uppercase()], None, first, step).unwrap();
                    assert_eq!(one.columns.iter().map(|c| &c.name).collect::<Vec<_>>(), [&of.name]);
                    from = part.next.map(|n| n as u64);
                    found.extend(part.columns);
                }
                let plain = |values: &[Values]| -> Vec<String> {
                    let texts = values.iter().flat_map(|values| -> Vec<String> {
                        match values {
                            Values::Words(words) => words.iter().map(|w| format!("{:?}", w.map(String::from))).collect(),
                            Values::Texts(texts) => texts.iter().map(|t| format!("{t:?}")).collect(),
                            Values::Ints(v) => v.iter().map(|v| format!("{v:?}")).collect(),
                            Values::Floats(v) => v.iter().map(|v| format!("{v:?}")).collect(),
                            Values::Flags(v) => v.iter().map(|v| format!("{v:?}")).collect(),
                        }
                    });
                    texts.collect()
                };
                assert!(plain(&found) == plain(std::slice::from_ref(&all.1.columns[at])), "{path} {}.{}", table.name, of.name);
            }
        }
    }
}

#[test]
fn a_device_profile_has_the_tables_that_are_converted() {
    let Some(folder) = conformance("neuron") else { return };
    let session = session(&folder.join("fused_attention/fused_exec_2_profile_full.json"));
    let mut written: BTreeMap<String, usize> = BTreeMap::new();
    session
        .device_tables(&mut |table, part| {
            *written.entry(table.name.to_string()).or_default() += part.n_rows;
            Ok(())
        })
        .unwrap();
    assert!(written.len() > 10, "{written:?}");
    for (name, n_rows) in &written {
        // It describes the files that are written.
        if name != "SchemaFields" {
            assert_eq!(whole(&session, name).1.n_rows, *n_rows, "{name}");
        }
    }
    // Columns in memory alone are those that are read with all others.
    let all = whole(&session, "Instruction");
    let wanted = ["engine", "opcode", "duration_ns"].map(String::from);
    let some = session.table_part("instruction", &wanted, None, 0, usize::MAX).unwrap();
    assert_eq!(some.0.columns.len(), 3);
    for name in &wanted {
        assert_eq!(column(&some, name), column(&all, name), "{name}");
    }
    assert!(session.table_part("Instructions", &[], None, 0, 10).unwrap_err().to_string().contains("`Instructions`"));
}

/// An archive as the page has it made, and the rows of its tables.
fn archive(session: &Session, range: Option<TimeRange>) -> (Vec<u8>, BTreeMap<String, u64>) {
    let mut writer = TableArchive::default();
    let (mut bytes, mut n_rows) = (Vec::new(), BTreeMap::new());
    for table in session.ask(&ConvertedTablesQuery { is_range: range.is_some() }).unwrap() {
        let (mut of_table, mut from, mut n) = (Vec::new(), Some(0), 0);
        while let Some(first) = from {
            let part = session.ask(&TablePartQuery { table: table.name.clone(), columns: Vec::new(), range, from: first }).unwrap();
            if part.n_rows > 0 {
                of_table.extend(writer.rows(&table.name, &part.columns, &part.bytes).unwrap());
            }
            (from, n) = (part.next, n + part.n_rows);
        }
        if n > 0 {
            let (header, rest) = writer.end_table().unwrap();
            bytes.extend([header, of_table, rest].concat());
            n_rows.insert(table.name, n);
        }
    }
    bytes.extend(writer.end());
    (bytes, n_rows)
}

#[test]
fn an_archive_of_tables_is_read_back_with_the_same_answers() {
    let Some(folder) = conformance("neuron") else { return };
    let session = session(&folder.join("fused_attention/fused_exec_2_profile_full.json"));
    let (bytes, n_rows) = archive(&session, None);
    assert!(n_rows.len() > 15, "{n_rows:?}");
    let mut written: BTreeMap<String, u64> = BTreeMap::new();
    session
        .device_tables(&mut |table, part| {
            *written.entry(table.name.to_string()).or_default() += part.n_rows as u64;
            Ok(())
        })
        .unwrap();
    assert_eq!(n_rows, written, "what `axonscope convert` writes");

    let input = InputSet::from_bytes("fused.parquet.zip", bytes);
    let (claim, outcome) = import::import(&input).unwrap().remove(0);
    assert_eq!(claim.format, "neuron_parquet");
    let (imported, readable) = outcome.unwrap();
    let again = Session::new(claim, readable, imported);
    for table in ["Instruction", "DmaPacket", "ActiveTime", "SemaphoreUpdate", "TensorInfo", "Metadata"] {
        let (one, other) = (whole(&session, table), whole(&again, table));
        assert_eq!(one.1.n_rows, other.1.n_rows, "{table}");
        for name in ["start_ts", "end_ts", "duration_ns", "pcore_idx", "transfer_bytes", "raw_flops", "size", "timestamp", "value"] {
            if one.0.columns.iter().any(|c| c.name == name) {
                let sorted = |found: &(Table, Part)| {
                    let mut values = ints(found, name);
                    values.sort_unstable();
                    values
                };
                assert_eq!(sorted(&one), sorted(&other), "{table}.{name}");
            }
        }
    }
    let bounds = |session: &Session| {
        let found = session.ask(&BoundsQuery::default()).unwrap().cores;
        found.into_iter().map(|c| (c.busy, c.moved_bytes, c.flops, c.exclusive, c.dma_states)).collect::<Vec<_>>()
    };
    assert_eq!(bounds(&session), bounds(&again));
}

#[test]
fn tables_of_a_directory_are_those_of_its_files() {
    let Some(folder) = conformance("neuron/fused_attention/parquet-zstd") else { return };
    let mut members = Vec::new();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        members.extend(InputSet::from_bytes(&name, std::fs::read(&path).unwrap()).members);
    }
    let (claim, outcome) = import::import(&InputSet { members }).unwrap().remove(0);
    let (imported, readable) = outcome.unwrap();
    let session = Session::new(claim, readable, imported);
    let active = whole(&session, "ActiveTime");
    assert!(active.1.n_rows > 10);
    assert!(texts(&active, "engine").contains(&Some("tensor".into())));
    let ends = ints(&active, "end_ts");
    assert!(ints(&active, "start_ts").iter().zip(&ends).all(|(start, end)| start.unwrap() <= end.unwrap()));
    for table in
        ["Summary", "Metadata", "SemaphoreUpdate", "DmaQueuesInfo", "NeffHeader", "DmaUsage", "SbufUsage", "Throttle", "SchemaFields"]
    {
        assert!(whole(&session, table).1.n_rows > 0, "{table}");
    }
    let Values::Floats(clock) = column(&whole(&session, "Metadata"), "tensor_engine_clock_freq") else { panic!("no numbers") };
    assert!(clock[0].unwrap() > 1.0);
    assert_eq!(whole(&session, "TensorInfo").1.n_rows, 0, "the directory has none");
    // Columns have the names of the schema once.
    let summary = session.tables().into_iter().find(|t| t.name == "Summary").unwrap();
    assert_eq!(summary.columns.iter().filter(|c| c.name == "total_time").count(), 1);
}

#[test]
fn an_archive_of_a_range_has_what_touches_it() {
    let Some(session) = trace(TRACES[0]) else { return };
    let all = archive(&session, None).1;
    let whole_range = session.profile.meta.range;
    let middle = whole_range.start.0 + whole_range.duration().0 / 2;
    let range = TimeRange::new(TimeNs(middle), TimeNs(middle + whole_range.duration().0 / 20));
    let found = archive(&session, Some(range)).1;
    assert!(found["slice"] > 0 && found["slice"] < all["slice"] / 2, "{found:?}");
    let part = session.table_part("slice", &[], Some(range), 0, usize::MAX).unwrap();
    let touches = |(start, dur): (Option<i64>, Option<i64>)| range.touches(TimeNs(start.unwrap()), DurationNs(dur.unwrap()));
    assert!(ints(&part, "ts").into_iter().zip(ints(&part, "dur")).all(touches));
    let ids: BTreeSet<Option<i64>> = ints(&part, "id").into_iter().collect();
    assert_eq!(ids.len() as u64, found["slice"]);
    let kernels = session.table_part("kernel", &[], Some(range), 0, usize::MAX).unwrap();
    assert!(ints(&kernels, "slice_id").iter().all(|id| ids.contains(id)));
    let args = session.table_part("args", &[], Some(range), 0, usize::MAX).unwrap();
    assert!(args.1.n_rows > 0 && ints(&args, "slice_id").iter().all(|id| ids.contains(id)));
    let flows = session.table_part("flow", &[], Some(range), 0, usize::MAX).unwrap();
    assert!(ints(&flows, "slice_out").iter().chain(&ints(&flows, "slice_in")).all(|id| ids.contains(id)));
    assert_eq!(found["track"], all["track"], "tables without times are whole");

    // Nothing is there: no table of events.
    let after = TimeRange::new(TimeNs(whole_range.end.0 + 10), TimeNs(whole_range.end.0 + 20));
    let none = archive(&session, Some(after)).1;
    assert!(!none.contains_key("slice") && !none.contains_key("args"), "{none:?}");
}

#[test]
fn a_device_range_leaves_out_sums_of_the_run() {
    let Some(folder) = conformance("neuron") else { return };
    let session = session(&folder.join("fused_attention/fused_exec_2_profile_full.json"));
    let range = session.profile.meta.range;
    let half = TimeRange::new(range.start, TimeNs(range.start.0 + range.duration().0 / 2));
    let (all, found) = (archive(&session, None).1, archive(&session, Some(half)).1);
    for table in ["Instruction", "DmaPacket", "Flow", "SemaphoreUpdate", "ActiveTime"] {
        assert!(found[table] > 0 && found[table] < all[table], "{table}: {found:?}");
    }
    assert!(all.contains_key("Summary") && !found.contains_key("Summary") && found.contains_key("Metadata"));
}

#[test]
fn a_system_profile_has_the_tables_of_the_schema() {
    let event = |name: &str, start: i64, dur: i64, more: &str| {
        let start = 1_700_000_000_000_000_000 + start;
        format!(
            r#"{{"name":"{name}","timestamp":{start},"duration":{dur},"instance_id":"i-1","process_id":"7","thread_id":70,"trace_event_source":"neuron_rt","nc_idx":3,"id":9{more}}}"#
        )
    };
    let memory = r#"{"hbm_idx":1,"instance_id":"i-1","timestamp":1700000000000001000,"total_bytes":100,"weights_bytes":60}"#;
    let cpu = r#"{"cpu_id":"4","duration":1,"instance_id":"i-1","timestamp":1700000000000002000,"util":25}"#;
    let events = [event("nrt_execute", 0, 500, r#","flow_id":["100"]"#), event("nc_exec_running", 600, 300, "")].join(",");
    let text = format!(r#"{{"trace_event":[{events}],"device_mem_usage":[{memory}],"cpu_util":[{cpu}]}}"#);
    let input = InputSet::from_bytes("system_profile.json", text.into_bytes());
    let (claim, outcome) = import::import(&input).unwrap().remove(0);
    assert_eq!(claim.format, "neuron_system");
    let (imported, readable) = outcome.unwrap();
    let session = Session::new(claim, readable, imported);
    let events = whole(&session, "SystemProfileEvents");
    assert_eq!(events.1.n_rows, 2);
    let names = texts(&events, "name");
    let at = |name: &str| names.iter().position(|n| n.as_deref() == Some(name)).unwrap();
    let (call, run) = (at("nrt_execute"), at("nc_exec_running"));
    assert_eq!([ints(&events, "start_ts")[call], ints(&events, "end_ts")[run]], [Some(0), Some(900)]);
    assert_eq!(
        [ints(&events, "process_id")[call], ints(&events, "thread_id")[call], ints(&events, "nc_idx")[run]],
        [Some(7), Some(70), Some(3)]
    );
    assert_eq!([&texts(&events, "flow_id")[call], &texts(&events, "flow_id")[run]], [&Some("[\"100\"]".to_string()), &None]);
    assert_eq!(texts(&events, "instance_id")[call].as_deref(), Some("i-1"));
    let hbm = whole(&session, "SystemProfileHbmUsage");
    assert_eq!([ints(&hbm, "total_bytes")[0], ints(&hbm, "weights_bytes")[0], ints(&hbm, "hbm_idx")[0]], [Some(100), Some(60), Some(1)]);
    let cpu = whole(&session, "CpuUsage");
    assert_eq!((column(&cpu, "util_percent"), texts(&cpu, "cpu_id")), (Values::Floats(vec![Some(25.0)]), vec![Some("4".to_string())]));
    assert_eq!(texts(&whole(&session, "SystemProfileMetadata"), "first_ts_ns"), [Some("1700000000000000000".to_string())]);
    assert_eq!(whole(&session, "DeviceProfileList").1.n_rows, 0);
    assert!(
        archive(&session, None)
            .1
            .keys()
            .all(|name| ["SystemProfileEvents", "SystemProfileHbmUsage", "SystemProfileMetadata", "CpuUsage"].contains(&name.as_str()))
    );
}

#[test]
fn args_are_the_fields_of_the_details() {
    let text = r#"{"traceEvents":[{"ph":"X","name":"a","cat":"cpu_op","ts":1,"dur":2,"pid":1,"tid":1,"args":{"Sequence number":3,"flag":"yes"}}]}"#;
    let input = InputSet::from_bytes("trace.json", text.as_bytes().to_vec());
    let (imported, readable) = open(&input);
    let claim = import::import(&input).unwrap().remove(0).0;
    let session = Session::new(claim, readable, imported);
    let found = whole(&session, "args");
    let rows: Vec<(Option<String>, Option<String>)> = texts(&found, "key").into_iter().zip(texts(&found, "value")).collect();
    for (key, value) in [("Sequence number", "3"), ("flag", "yes")] {
        assert!(rows.contains(&(Some(key.into()), Some(value.into()))), "{rows:?}");
    }
    assert!(ints(&found, "slice_id").iter().all(|id| *id == Some(0)));
}

#[test]
fn a_stream_holds_the_rows_of_its_part() {
    let Some(session) = trace(TRACES[0]) else { return };
    let columns = ["ts", "dur", "id"].map(String::from).to_vec();
    let query = TablePartQuery { table: "SLICE".into(), columns, range: None, from: 0 };
    let found = session.ask(&query).unwrap();
    let batch = axonscope::base::arrow::read(&found.bytes).unwrap();
    assert_eq!((batch.n_rows as u64, batch.columns.len()), (found.n_rows, 3));
    assert_eq!(found.columns[0], ("id".to_string(), "BIGINT".to_string(), String::new()), "in the order of the table");
    let ids: Vec<Option<i64>> = (0..found.n_rows as i64).map(Some).collect();
    assert_eq!(batch.columns[0], ("id".to_string(), axonscope::base::arrow::Values::Ints(ids)));
    let answer = Answer::TablePartQuery(Box::new(found));
    let bytes = axonscope::worker::protocol::encode(&answer).unwrap();
    assert_eq!(axonscope::worker::protocol::decode::<Answer>(&bytes).unwrap(), answer);
}

#[test]
fn the_docs_list_the_gallery() {
    let read = |path: &str| std::fs::read_to_string(path).unwrap();
    let gallery: BTreeMap<String, Vec<[String; 3]>> = serde_json::from_str(&read("public/sql/gallery.json")).unwrap();
    let docs = read("docs/sql.md");
    for [title, what, query] in gallery.values().flatten() {
        let entry = format!("\n**{title}**: {what}.\n\n```sql\n{query}\n```\n");
        assert!(docs.contains(&entry), "docs/sql.md lacks{entry}");
    }
    assert_eq!(docs.matches("```sql").count(), gallery.values().map(Vec::len).sum::<usize>(), "and no other");
}

#[test]
fn the_docs_list_the_columns() {
    let Some(session) = trace(TRACES[0]) else { return };
    let docs = std::fs::read_to_string("docs/sql.md").unwrap();
    for table in session.tables().iter().filter(|t| t.columns.len() > 1) {
        let Some(line) = docs.lines().find(|line| line.starts_with(&format!("| `{}` |", table.name))) else {
            assert!(session.profile.tables.iter().any(|t| t.id == table.name), "{} is not in the docs", table.name);
            continue;
        };
        for column in table.columns.iter().filter(|c| session.profile.attribute(&c.name).is_none() || c.name == "category") {
            assert!(line.contains(&format!("`{}`", column.name)), "{line} lacks {}", column.name);
        }
    }
}
