//! The full device JSON of `neuron-profile view --output-format json`: one object of sections, each an array of records.

mod accesses;
mod columns;
mod curves;
mod deferred;
mod dependencies;
mod facts;
mod import;
mod keys;
mod operands;
mod pieces;
mod queues;
mod read_back;
mod reader;
mod record;
mod rows;
mod schema;
mod sections;
pub(crate) mod tables;
pub(crate) mod timeline;
pub(crate) mod value;
mod walk;

pub(crate) use facts::without_hardware;
pub(crate) use rows::semaphore_id;

use crate::base::{EventId, InputSet, MemberHead, SliceId};
use crate::formats::file_name::file_name;
use crate::formats::wording;
use crate::formats::{Claim, Columns, Field, Format, FormatInfo, ImportError, Recognise, Sample, Streamed};
use crate::model::{Profile, RecordRef};

/// The format.
pub struct NeuronJson;

/// Longest record that is read back.
const MAX_RECORD: u64 = 64 << 20;

impl Recognise for NeuronJson {
    fn id(&self) -> &'static str {
        "neuron_json"
    }

    fn info(&self) -> FormatInfo {
        FormatInfo {
            id: self.id().into(),
            title: "Neuron device profile (JSON)".into(),
            files: ".json, .json.gz".into(),
            shows: "Every instruction, DMA transfer and semaphore update of a NeuronCore, with memory use, throttling and the profiler's summary.".into(),
            capture: "neuron-profile view -n model.neff -s profile.ntff --output-format json --output-file profile.json".into(),
            caveats: "Set NEURON_RT_ENABLE_DGE_NOTIFICATIONS=1 when capturing, or dynamic DMA transfers have no names.".into(),
        }
    }

    fn claim(&self, heads: &[MemberHead], taken: &[bool]) -> Vec<Claim> {
        let free = heads.iter().enumerate().filter(|(i, _)| !taken.get(*i).copied().unwrap_or(false));
        let claims = free.filter_map(|(i, head)| {
            let section = identifying_section(&head.head)?;
            let recognised = format!("A JSON object with the section `{section}` of a Neuron device profile.");
            Some(Claim { format: self.id().into(), members: vec![i], recognised })
        });
        claims.collect()
    }
}

impl Format for NeuronJson {
    fn streamed(&self, _claim: &Claim, path: &str) -> Option<Box<dyn Streamed>> {
        Some(Box::new(import::Importer::new(file_name(path))))
    }

    fn record(&self, input: &InputSet, profile: &Profile, item: EventId) -> Result<Vec<Field>, ImportError> {
        let gone = || ImportError::Invalid(wording::NO_RECORD.into());
        let record = profile.record_of(item).ok_or_else(gone)?;
        let text = read_record(input, record)?;
        let mended = value::without_bare_nan(&text);
        let text = mended.as_deref().unwrap_or(&text);
        let read = value::fields(text)
            .map_err(|e| ImportError::Invalid(format!("Expected a JSON record at byte {}, found something else: {e}.", record.offset())))?;
        Ok(details(&read))
    }

    fn columns(&self, input: &InputSet, profile: &Profile, slices: &[SliceId], keys: &[&[&str]]) -> Option<Columns> {
        Some(read_back::columns(input, profile, slices, keys))
    }

    fn samples(&self, input: &InputSet, _profile: &Profile, each: &mut dyn FnMut(&str, &Sample<'_>)) -> Result<(), ImportError> {
        read_back::samples(input, each)
    }
}

/// The first root key in the head that identifies the format.
fn identifying_section(head: &[u8]) -> Option<String> {
    let mut splitter = sections::SectionSplitter::new();
    let mut found: Option<String> = None;
    let mut weak: Vec<String> = Vec::new();
    let (mut is_other, mut are_warnings) = (false, true);
    // A cut record at the head's end is fine; what is no object of sections ends the search.
    let read = splitter.feed(head, &mut |piece: &sections::Piece<'_>| {
        let is_object = piece.text.first() == Some(&b'{');
        let is_dma = piece.section == "dma" && has_key(piece, b"\"dma_queue\"");
        is_other |= piece.section == "traceEvents";
        are_warnings &= piece.is_element && is_object && is_warning(piece);
        if found.is_some() || !piece.is_element || !is_object {
            return;
        }
        let is_weak = schema::is_section(piece.section) && weak.last().is_none_or(|last| last != piece.section);
        weak.extend(is_weak.then(|| piece.section.into()));
        if is_dma || schema::is_identifying(piece.section) {
            found = Some(piece.section.into());
        }
    });
    if let Some(section) = splitter.position().0.strip_prefix("traceEvents") {
        is_other |= section.is_empty();
    }
    // A file with only the profiler's warnings is recognised by them.
    let are_all = are_warnings && read.is_ok() && splitter.is_done() && splitter.n_trailing == 0;
    let alone = weak.first().filter(|_| are_all).cloned();
    // A name that other files also have is not sufficient; two such names together are.
    found.or_else(|| weak.drain(..).nth(1)).or(alone).filter(|_| !is_other)
}

fn has_key(piece: &sections::Piece<'_>, key: &[u8]) -> bool {
    memchr::memmem::find(piece.text, key).is_some()
}

/// Whether it is a warning as the profiler writes them: message and category.
fn is_warning(piece: &sections::Piece<'_>) -> bool {
    piece.section == "warnings" && has_key(piece, b"\"message\"") && has_key(piece, b"\"category\"")
}

/// The text of a record, also of one too long to note its length.
fn read_record(input: &InputSet, record: RecordRef) -> Result<String, ImportError> {
    let member = input.members.get(record.member()).ok_or_else(|| ImportError::Invalid(wording::RECORD_FILE_NOT_OPEN.into()))?;
    let bytes = match record.n_bytes() {
        Some(n) => member.read(record.offset(), n)?,
        None => {
            let mut bytes = member.read_up_to(record.offset(), MAX_RECORD)?;
            let mut end = None;
            let mut splitter = sections::SectionSplitter::new();
            splitter.feed(b"{\"x\":[", &mut |_: &sections::Piece<'_>| ())?;
            // What follows the record may be anything: only its end is asked for.
            let _ = splitter.feed(&bytes, &mut |piece: &sections::Piece<'_>| end = end.or(Some(piece.text.len())));
            bytes.truncate(end.unwrap_or(bytes.len()));
            bytes
        }
    };
    String::from_utf8(bytes).map_err(|_| ImportError::Invalid(format!("Expected UTF-8 at byte {}, found something else.", record.offset())))
}

/// Every field, known ones first and grouped.
fn details(read: &value::Fields<'_>) -> Vec<Field> {
    let is_dma = read.iter().any(|f| f.0 == "dma_queue");
    let keys = schema::keys(if is_dma { "dma" } else { "instruction" });
    let mut out = Vec::with_capacity(read.len());
    for group in ["Event", "Instruction", "Transfer", "Program", "Memory", "Links", "Check"] {
        for key in keys.iter().filter(|k| k.1 == group) {
            let values = read.iter().filter(|f| f.0 == key.0);
            out.extend(values.map(|f| field(group, key.0, f.1.text().into_owned(), key.2, key.3)));
        }
    }
    let unknown = read.iter().filter(|f| schema::find(keys, &f.0).is_none());
    out.extend(unknown.map(|f| field("Other keys", &f.0, f.1.text().into_owned(), "", "")));
    skip_unrecorded(&mut out);
    out
}

/// Skips fields with a word or number for "not recorded". An id of 0 is none if the same id with its subgraph is missing.
pub(crate) fn skip_unrecorded(fields: &mut Vec<Field>) {
    let has = |key: &str| fields.iter().any(|f| f.key == key && !f.value.is_empty());
    let (has_bir, has_penguin) = (has("bir_id"), has("penguin_id"));
    fields.retain(|f| match (f.key.as_str(), f.value.as_str()) {
        _ if f.group == "Other keys" => true,
        ("semaphore_id", "-1") => false,
        ("raw_bir_id", "0") => has_bir,
        ("raw_penguin_id", "0") => has_penguin,
        (_, value) => is_recorded(value),
    });
}

/// Whether a value is recorded; "not recorded" is written in several ways.
fn is_recorded(text: &str) -> bool {
    !matches!(text.replace('"', "'").as_str(), "Unknown" | "unknown" | "['unknown']" | "[['unknown']]" | "[]")
}

/// What a column of that name means, and its unit, in our own words; Neuron Explorer's tables have mostly the same columns.
pub(crate) fn meaning(key: &str) -> Option<(&'static str, &'static str)> {
    let alias = match key {
        "start_ts" => "timestamp",
        "duration_ns" => "duration",
        "evt_wait_time_ns" => "evt_wait_time",
        "engine" => "subgroup",
        "timeline_track" => "label",
        "tensor_instruction_type" => "instruction_type",
        "scalar_activation_fn" => "activation_fn",
        "transfer_bytes" => "transfer_size",
        "engine_idx" => "dma_engine",
        "queue_idx" => "dma_queue",
        _ => key,
    };
    let of = |table: &str| schema::find(schema::keys(table), alias);
    of("instruction").or_else(|| of("dma")).map(|k| (k.2, k.3))
}

fn field(group: &str, key: &str, value: String, unit: &str, help: &str) -> Field {
    Field { group: group.into(), key: key.into(), value, unit: unit.into(), help: help.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(head: &str, section: Option<&str>) {
        assert_eq!(identifying_section(head.as_bytes()).as_deref(), section, "{head}");
    }

    #[test]
    fn what_stands_for_nothing_is_left_out() {
        let keys = |record: &str| details(&value::fields(record).expect("an object")).into_iter().map(|f| f.key).collect::<Vec<_>>();
        let dma = r#"{"dma_queue":"1","semaphore_id":"-1","source":[["unknown"]],"dest":["unknown"],"variable":"unknown","x":"unknown"}"#;
        assert_eq!(keys(dma), ["dma_queue", "x"]);
        assert_eq!(keys(r#"{"raw_bir_id":0,"bir_id":"","raw_penguin_id":0,"pc":0}"#), ["pc", "bir_id"]);
        assert_eq!(keys(r#"{"raw_bir_id":0,"bir_id":"sg0000:0"}"#), ["bir_id", "raw_bir_id"]);
    }

    #[test]
    fn one_telling_section_or_two_others() {
        check(r#"{"instruction":[{"id":1}"#, Some("instruction"));
        check(r#"{"dma":[{"dma_queue":"1"},"#, Some("dma"));
        check(r#"{"warnings":[{"message":"m"}],"metadata":[{"data_version":8}]}"#, Some("metadata"));
        check(r#"{"warnings":[{"message":"m"},{"message":"n"}]}"#, None);
        check(r#"{"warnings":[{"message":"m","category":"Missing Data"}]}"#, Some("warnings"));
        check(
            r#"{"instruction":[],"warnings":[{"category":"c","message":"m"},{"message":"n","category":"c"}],"dma":[]} "#,
            Some("warnings"),
        );
        check(r#"{"warnings":[{"message":"m","category":"c"}],"log":[{"level":1}]}"#, None);
        check(r#"{"warnings":[{"message":"m","category":"c"}]"#, None);
        check(r#"{"warnings":[{"message":"m","category":"c"}]}, more"#, None);
        check(r#"{"warnings":[]}"#, None);
        check(r#"{"metadata":{"a":1},"summary":"text","warnings":[{}]}"#, None);
        check(r#"{"warnings":[{}],"metadata":[{}],"traceEvents":[{}]}"#, None);
    }
}
