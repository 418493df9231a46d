//! DMA transfers: packets, and what they move together.

use super::cells::{self, Cores};
use super::slices::{Give, PART, Rows, ids, read_fields};
use super::{Column, Part, TableError, Values, Words, table};
use crate::base::{SliceId, StrId};
use crate::engine::{Refusal, Session};
use crate::model::{Attribute, Cell, NeuronDevice, Profile, TrackKind};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Fields of a packet that are read back: of each the names that the formats give it.
const FIELDS: [(&str, &[&str]); 11] = [
    ("id", &["id"]),
    ("packet_idx", &["packet_idx"]),
    ("packet_aggregation_id", &["packet_aggregation_id"]),
    ("read_bytes", &["read_size", "read_bytes"]),
    ("write_bytes", &["write_size", "write_bytes"]),
    ("throughput", &["transfer_rate", "throughput"]),
    ("crc", &["crc"]),
    ("op", &["op"]),
    ("source", &["source"]),
    ("dest", &["dest"]),
    ("semaphore_id", &["semaphore_id"]),
];

/// Place of a field of [`FIELDS`].
fn field(name: &str) -> Option<usize> {
    FIELDS.iter().position(|f| f.0 == name)
}

/// Packets that fulfil one transfer, added up.
struct Aggregate {
    start: i64,
    end: i64,
    core: Option<i64>,
    queue: (Option<i64>, Option<String>),
    queue_type: Option<String>,
    variable: Option<String>,
    texts: [Option<String>; 4],
    /// Bytes read, written and moved; `None` once one packet does not record them.
    bytes: [Option<i64>; 3],
}

/// Gives `DmaPacket`, in the order of the file, and `DmaPacketAggregated` of the packets for which the file records what they move; the first only
/// where `wants` it.
pub(super) fn transfers(
    session: &Session,
    device: &NeuronDevice,
    cores: &Cores,
    wants: &dyn Fn(&str) -> bool,
    give: &mut Give<'_>,
) -> Result<(), TableError> {
    let rows = Rows { profile: &session.profile, device, cores };
    let all = packet_rows(session, device);
    let Some(table) = table("DmaPacket") else { return Ok(()) };
    let names = QueueNames::of(&session.profile);
    let keys = FIELDS.map(|f| f.1);
    let mut aggregates: BTreeMap<i64, Aggregate> = BTreeMap::new();
    for slices in all.chunks(PART) {
        let read = read_fields(session, slices, &keys)?;
        let rings = Rings::of(&rows, &names, slices);
        if wants("DmaPacket") {
            let columns = table.columns.iter().map(|c| column(c, &rows, slices, &rings, &read)).collect();
            give("DmaPacket", Part { columns, n_rows: slices.len(), next: None })?;
        }
        for (at, (slice, read)) in slices.iter().zip(&read).enumerate() {
            add(&mut aggregates, &rows, *slice, rings.get(at), read);
        }
    }
    give_aggregates(&aggregates, give)
}

/// Slices that are rows of `DmaPacket`, in the order of the file.
pub(super) fn packet_rows(session: &Session, device: &NeuronDevice) -> Vec<SliceId> {
    let order = session.in_file_order(TrackKind::Queue);
    let is_in = |list: &[u32], slice: SliceId| list.binary_search(&slice.0).is_ok();
    order.iter().copied().filter(|s| !is_in(&device.duplicates, *s) && !is_in(&device.unreported, *s)).collect()
}

/// Columns of `DmaPacket` of these slices.
pub(super) fn packet_values(session: &Session, rows: &Rows<'_>, columns: &[Column], slices: &[SliceId]) -> Result<Vec<Values>, Refusal> {
    let is_read = columns.iter().any(|c| field(&c.name).is_some());
    let read = if is_read { read_fields(session, slices, &FIELDS.map(|f| f.1))? } else { vec![Vec::new(); slices.len()] };
    let is_of_ring = |c: &Column| ["pcore_idx", "engine_idx", "queue_idx", "queue_name"].contains(&c.name.as_ref());
    let rings = if columns.iter().any(is_of_ring) { Rings::of(rows, &QueueNames::of(&session.profile), slices) } else { Rings::default() };
    Ok(columns.iter().map(|c| column(c, rows, slices, &rings, &read)).collect())
}

/// Numbers and name of a packet's ring.
#[derive(Default)]
struct Ring {
    core: Option<i64>,
    engine: Option<i64>,
    queue: Option<i64>,
    name: Option<String>,
}

/// The rings of packets: each distinct one once, and which one each packet has.
#[derive(Default)]
struct Rings {
    all: Vec<Ring>,
    of_row: Vec<u32>,
}

impl Rings {
    fn of(rows: &Rows<'_>, names: &QueueNames, slices: &[SliceId]) -> Rings {
        let [engines, queues] = ["engine", "queue"].map(|id| rows.profile.attribute(id));
        let value = |of: Option<&Attribute>, slice: SliceId| of.and_then(|a| a.values.get(slice.index()).copied()).unwrap_or(StrId(0));
        let mut known: FxHashMap<(StrId, StrId, Option<i64>), u32> = FxHashMap::default();
        let mut out = Rings { all: Vec::new(), of_row: Vec::with_capacity(slices.len()) };
        for &slice in slices {
            let key = (value(engines, slice), value(queues, slice), rows.core(slice));
            let ring = *known.entry(key).or_insert_with(|| {
                let text = |id: StrId| rows.profile.strings.get(id);
                let engine = text(key.0).strip_prefix("DMA-E").and_then(|n| n.parse().ok());
                let queue = text(key.1).strip_prefix('Q').and_then(|n| n.parse().ok());
                let name = names.0.get(&[key.2, queue, engine]).cloned().flatten();
                out.all.push(Ring { core: key.2, engine, queue, name });
                out.all.len() as u32 - 1
            });
            out.of_row.push(ring);
        }
        out
    }

    fn get(&self, row: usize) -> &Ring {
        const NONE: &Ring = &Ring { core: None, engine: None, queue: None, name: None };
        self.of_row.get(row).and_then(|at| self.all.get(*at as usize)).unwrap_or(NONE)
    }

    fn ints(&self, of: impl Fn(&Ring) -> Option<i64>) -> Values {
        Values::Ints((0..self.of_row.len()).map(|row| of(self.get(row))).collect())
    }

    fn names(&self) -> Values {
        let is_named = |ring: &u32| self.all.get(*ring as usize).is_some_and(|ring| ring.name.is_some());
        let code = |ring: &u32| if is_named(ring) { *ring } else { Words::ABSENT };
        let words = self.all.iter().map(|ring| ring.name.clone().unwrap_or_default()).collect();
        Values::Words(Words { codes: self.of_row.iter().map(code).collect(), words })
    }
}

/// Names of queues by core, queue and engine; `None` where several share a ring.
struct QueueNames(BTreeMap<[Option<i64>; 3], Option<String>>);

impl QueueNames {
    fn of(profile: &Profile) -> QueueNames {
        let mut out = BTreeMap::new();
        if let Some(table) = profile.tables.iter().find(|t| t.id == "dma_queues_info") {
            for row in 0..table.rows.len() {
                let int = |column: &str| cells::int(&cells::cell(table, row, column));
                let core = cells::text(&cells::cell(table, row, "subgraph")).and_then(|name| cells::subgraph(&name));
                let name = cells::text(&cells::cell(table, row, "q_name"));
                let known = out.entry([core, int("q_idx"), int("q_eng_idx")]).or_insert_with(|| name.clone());
                if *known != name {
                    *known = None;
                }
            }
        }
        QueueNames(out)
    }
}

fn column(column: &Column, rows: &Rows<'_>, slices: &[SliceId], rings: &Rings, read: &[Vec<String>]) -> Values {
    let ints = |of: &dyn Fn(SliceId) -> Option<i64>| Values::Ints(slices.iter().map(|s| of(*s)).collect());
    match column.name.as_ref() {
        "start_ts" => ints(&|s| Some(rows.start(s))),
        "end_ts" => ints(&|s| Some(rows.end(s))),
        "duration_ns" => ints(&|s| Some(rows.profile.slices.duration[s.index()])),
        "pcore_idx" => rings.ints(|r| r.core),
        "engine_idx" => rings.ints(|r| r.engine),
        "queue_idx" => rings.ints(|r| r.queue),
        "queue_name" => rings.names(),
        "transfer_bytes" => ints(&|s| rows.number(&rows.device.bytes, s)),
        name @ ("queue_type" | "variable") => {
            let attribute = rows.profile.attribute(name);
            Words::of_strings(&rows.profile.strings, slices.iter().map(|s| attribute.and_then(|a| a.values.get(s.index()).copied())))
        }
        "throughput" => {
            let recorded = read.iter().map(|row| field("throughput").and_then(|at| row.get(at)).and_then(|text| text.parse().ok()));
            let computed = |(recorded, slice): (Option<f64>, &SliceId)| recorded.or_else(|| throughput(rows, *slice));
            Values::Floats(recorded.zip(slices).map(computed).collect())
        }
        name => {
            let Some(at) = field(name) else { return Values::absent(column.kind, slices.len()) };
            let values = cells::read_back(column.kind, read.iter().map(|row| row.get(at).cloned().unwrap_or_default()));
            if name == "id" { ids(values, slices) } else { values }
        }
    }
}

/// Bytes per second: bytes moved ÷ duration; `None` where one is not recorded or the duration is 0 ns.
fn throughput(rows: &Rows<'_>, slice: SliceId) -> Option<f64> {
    let bytes = rows.number(&rows.device.bytes, slice)?;
    let duration = rows.profile.slices.duration[slice.index()];
    (duration > 0).then(|| bytes as f64 * 1e9 / duration as f64)
}

/// `[["INPUT"]]` → `[[INPUT]]`, as the schema writes places.
fn place(text: &str) -> String {
    text.replace(['"', '\''], "").replace(", ", ",")
}

/// Adds a packet to its transfer, where the file records one: its id, and what it moves.
fn add(all: &mut BTreeMap<i64, Aggregate>, rows: &Rows<'_>, slice: SliceId, ring: &Ring, read: &[String]) {
    let text = |name: &str| field(name).and_then(|at| read.get(at)).filter(|text| !text.is_empty());
    let variable = rows.attribute("variable", slice);
    let texts = ["op", "source", "dest", "semaphore_id"].map(|name| text(name).map(|text| place(text)));
    let is_known = variable.is_some() || texts[..3].iter().any(Option::is_some);
    let Some(id) = text("packet_aggregation_id").and_then(|id| id.parse().ok()).filter(|_| is_known) else { return };
    let number = |name: &str| text(name).and_then(|n| n.parse::<i64>().ok());
    let bytes = [number("read_bytes"), number("write_bytes"), rows.number(&rows.device.bytes, slice)];
    let (start, end) = (rows.start(slice), rows.end(slice));
    match all.get_mut(&id) {
        Some(sum) => {
            (sum.start, sum.end) = (sum.start.min(start), sum.end.max(end));
            for (sum, n) in sum.bytes.iter_mut().zip(bytes) {
                *sum = sum.zip(n).map(|(a, b)| a.saturating_add(b));
            }
        }
        None => {
            let queue_type = rows.attribute("queue_type", slice).map(String::from);
            let (core, queue) = (ring.core, (ring.queue, ring.name.clone()));
            all.insert(id, Aggregate { start, end, core, queue, queue_type, variable: variable.map(String::from), texts, bytes });
        }
    }
}

fn give_aggregates(all: &BTreeMap<i64, Aggregate>, give: &mut Give<'_>) -> Result<(), TableError> {
    let Some(table) = table("DmaPacketAggregated") else { return Ok(()) };
    let cell = |name: &str, id: i64, sum: &Aggregate| {
        let int = |n: Option<i64>| n.map_or(Cell::Absent, Cell::Int);
        let text = |t: &Option<String>| t.clone().map_or(Cell::Absent, Cell::Text);
        let duration = sum.end.saturating_sub(sum.start);
        match name {
            "start_ts" => Cell::Int(sum.start),
            "end_ts" => Cell::Int(sum.end),
            "duration_ns" => Cell::Int(duration),
            "id" => Cell::Int(id),
            "pcore_idx" => int(sum.core),
            "queue_idx" => int(sum.queue.0),
            "queue_name" => text(&sum.queue.1),
            "queue_type" => text(&sum.queue_type),
            "variable" => text(&sum.variable),
            "op" => text(&sum.texts[0]),
            "source" => text(&sum.texts[1]),
            "dest" => text(&sum.texts[2]),
            "semaphore_id" => text(&sum.texts[3]),
            "read_bytes" => int(sum.bytes[0]),
            "write_bytes" => int(sum.bytes[1]),
            "transfer_bytes" => int(sum.bytes[2]),
            "throughput" => sum.bytes[2].filter(|_| duration > 0).map_or(Cell::Absent, |n| Cell::Float(n as f64 * 1e9 / duration as f64)),
            _ => Cell::Absent,
        }
    };
    let column = |c: &Column| cells::values(c.kind, all.iter().map(|(id, sum)| cell(&c.name, *id, sum)));
    give("DmaPacketAggregated", Part::last(table.columns.iter().map(column).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_without_quotes() {
        assert_eq!([place(r#"[["INPUT"]]"#), place("['OUTPUT', 'SB']")], ["[[INPUT]]", "[OUTPUT,SB]"]);
    }
}
