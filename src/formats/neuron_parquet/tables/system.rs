//! Tables of a system profile.

use super::generic;
use super::reading::each;
use super::table::{Table, members_by_table};
use crate::base::{InputSet, Ledger, Member};
use crate::formats::neuron_parquet::checks::missing;
use crate::formats::neuron_parquet::import::{Opened, open_tables, row_fields};
use crate::formats::neuron_parquet::is_system_table;
use crate::formats::neuron_parquet::pages::panic_context;
use crate::formats::system_events::{CATEGORIES, Curve, Event, EventKeys, FLOWS_MAX, HbmNames, Store, row_record};
use crate::formats::{Field, ImportError};
use crate::model::Profile;
use crate::model::system::DeviceProfile;
use std::borrow::Cow;
use std::collections::BTreeMap;

const EVENTS: &str = "SystemProfileEvents";
/// A curve of one value has the name of its row.
const NO_SERIES: &[&str] = &[];

/// Columns of the table of events that are read.
const COLUMNS: [&str; 14] = [
    "name",
    "start_ts",
    "end_ts",
    "duration_ns",
    "trace_event_source",
    "instance_id",
    "process_id",
    "thread_id",
    "nc_idx",
    "pcore_idx",
    "framework_stream_id",
    "flow_id",
    "id",
    "extra_attributes_json",
];

/// Reads the tables.
pub fn read(input: &InputSet, store: &mut Store, ledger: &mut Ledger) -> Result<(), ImportError> {
    panic_context::caught(|| read_all(input, store, ledger))
}

fn read_all(input: &InputSet, store: &mut Store, ledger: &mut Ledger) -> Result<(), ImportError> {
    let members: BTreeMap<String, Vec<&Member>> = members_by_table(input)
        .into_iter()
        .map(|(name, m)| (name, m.into_iter().filter(|m| m.name.ends_with(".parquet")).collect()))
        .collect();
    let members = members.into_iter().filter(|(_, m): &(String, Vec<&Member>)| !m.is_empty()).collect();
    let Opened { tables, unreadable } = open_tables(members, ledger)?;
    missing::unreadable(&tables, &unreadable, ledger);
    for table in tables.values() {
        match table.name.as_str() {
            EVENTS => events(table, store, ledger),
            "CpuUsage" => cpu(table, store, ledger),
            "HostMemUsage" => host_memory(table, store, ledger),
            "SystemProfileHbmUsage" => hbm(table, store, ledger),
            "SystemProfileMetadata" => each(table, &["hbm_capacity_bytes"], ledger, |b, row, _| {
                store.hbm_capacity = b.int(0, row).and_then(|n| u64::try_from(n).ok()).filter(|n| *n > 0);
                true
            }),
            "DeviceProfileList" => device_profiles(table, store, ledger),
            _ => (),
        }
        store.builder.table(generic::table(table, ledger));
    }
    missing::broken(&tables, ledger);
    let others: Vec<&str> = tables.keys().map(String::as_str).filter(|n| !is_system_table(n)).collect();
    if !others.is_empty() {
        ledger.note(format!("Shown only in Tables: {}.", others.join(", ")));
    }
    Ok(())
}

fn events(table: &Table, store: &mut Store, ledger: &mut Ledger) {
    let (mut inner, mut keys) = (Ledger::default(), EventKeys::default());
    each(table, &COLUMNS, ledger, |b, row, at| {
        let text = |column: usize| match b.text(column, row) {
            "" => b.int(column, row).map(|n| n.to_string()).unwrap_or_default(),
            text => text.to_string(),
        };
        let (start, end) = (b.int(1, row), b.int(2, row));
        let mut event = Event {
            name: text(0).into(),
            time: start,
            duration: b.int(3, row).or(start.zip(end).and_then(|(s, e)| e.checked_sub(s))),
            source: text(4).into(),
            instance: text(5).into(),
            process: text(6).into(),
            thread: text(7).into(),
            core: text(8).into(),
            physical: text(9).into(),
            stream: text(10).into(),
            flows: ids(b.text(11, row)).into_iter().map(Cow::Owned).collect(),
            id: text(12).into(),
            ..Event::default()
        };
        event.add_more(b.text(13, row).as_bytes(), &mut keys);
        store.event(&event, row_record(at), &mut inner, || format!("row {at}"));
        start.is_some()
    });
    // The rows were counted as skipped already, so the events are not counted again.
    inner.skipped.clear();
}

/// `[100, 200]`, `["100"]` or `100` as ids.
fn ids(text: &str) -> Vec<String> {
    let parts = text.trim_matches(['[', ']']).split(',').map(|p| p.trim().trim_matches('"'));
    parts.filter(|p| !p.is_empty()).take(FLOWS_MAX).map(Into::into).collect()
}

fn cpu(table: &Table, store: &mut Store, ledger: &mut Ledger) {
    each(table, &["timestamp", "util_percent", "cpu_id", "instance_id"], ledger, |b, row, _| {
        let (Some(time), Some(util)) = (b.int(0, row), b.float(1, row)) else {
            return false;
        };
        store.sample(Curve::Cpu(b.text(3, row).into(), b.text(2, row).into()), NO_SERIES, time, vec![util]);
        true
    });
}

fn host_memory(table: &Table, store: &mut Store, ledger: &mut Ledger) {
    each(table, &["timestamp", "used_bytes", "used_percent", "instance_id"], ledger, |b, row, _| {
        let (Some(time), used, share) = (b.int(0, row), b.float(1, row), b.float(2, row)) else {
            return false;
        };
        if let Some(used) = used {
            store.sample(Curve::HostMemory(b.text(3, row).into(), "Memory use", "bytes"), NO_SERIES, time, vec![used]);
        }
        if let Some(share) = share {
            store.sample(Curve::HostMemory(b.text(3, row).into(), "Memory use, share", "%"), NO_SERIES, time, vec![share]);
        }
        used.or(share).is_some()
    });
}

fn hbm(table: &Table, store: &mut Store, ledger: &mut Ledger) {
    let names = HbmNames::default();
    let mut wanted = vec!["timestamp", "device_idx", "hbm_idx", "instance_id", "total_bytes"];
    wanted.extend(CATEGORIES.map(|c| c.0));
    each(table, &wanted, ledger, |b, row, _| {
        let Some(time) = b.int(0, row) else {
            return false;
        };
        let mut values: Vec<f64> = (0..CATEGORIES.len()).map(|c| b.float(5 + c, row).unwrap_or(0.0)).chain([0.0]).collect();
        HbmNames::add_rest(&mut values, b.float(4, row));
        let curve = Curve::Hbm(b.text(3, row).into(), b.int(1, row).unwrap_or(0), b.int(2, row).unwrap_or(0));
        store.sample(curve, names.all(), time, values);
        true
    });
}

fn device_profiles(table: &Table, store: &mut Store, ledger: &mut Ledger) {
    each(table, &["device_profile_name", "instance_id", "process_id", "nc_id"], ledger, |b, row, _| {
        let number = |column| b.int(column, row).map(|n| n.to_string()).unwrap_or_default();
        store.device_profiles.push(DeviceProfile {
            name: b.text(0, row).into(),
            instance: b.text(1, row).into(),
            process: number(2),
            core: number(3),
        });
        true
    });
}

/// Every field of a row of the events.
pub fn record(input: &InputSet, profile: &Profile, row: u64) -> Result<Vec<Field>, ImportError> {
    row_fields(input, profile, EVENTS, row)
}
