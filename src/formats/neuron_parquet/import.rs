//! From tables to a profile.

use super::checks::{consistency, missing};
use super::pages::panic_context;
use super::pages::reader::File;
use super::table_of;
use super::tables::pieces::PieceReader;
use super::tables::reading::{CoreRows, FLOWS, Links, Reading};
use super::tables::rows;
use super::tables::table::{SLICE_TABLES, Table, members_by_table};
use super::tables::types;
use super::tables::{facts, generic};
use crate::base::Order as _;
use crate::base::{EventId, InputSet, Ledger, Member, Severity};
use crate::formats::neuron_json::timeline::Timeline;
use crate::formats::row_pieces::{RowHelpers, RowReader};
use crate::formats::{Claim, Field, ImportError, Importing, ProgressReporter};
use crate::model::{self, Profile};
use std::collections::{BTreeMap, BTreeSet};

/// No file has more rows per byte, so a wrong footer cannot reserve more memory.
const BYTES_PER_ROW_MIN: u64 = 8;

/// Imports a directory with the help of others.
pub(super) fn import<'a>(
    input: &'a InputSet,
    claim: &'a Claim,
    ledger: &'a mut Ledger,
    watch: &'a mut ProgressReporter<'_>,
    helpers: &'a mut dyn RowHelpers,
) -> Importing<'a> {
    let mut inner = ledger.clone();
    Box::pin(async {
        // After a panic the ledger is unchanged.
        let (result, read) = panic_context::caught_while(async {
            let result = read_all(input, claim, &mut inner, (watch, helpers)).await;
            Ok((result, inner))
        })
        .await?;
        *ledger = read;
        result
    })
}

/// What a helper of such an import reads with; `None` where no table can be read.
pub(super) fn row_reader(input: &InputSet) -> Option<Box<dyn RowReader>> {
    // What is wrong with a table is in the ledger of the owner.
    let opened = open_tables(members_by_table(input), &mut Ledger::default()).ok()?;
    Some(Box::new(PieceReader::new(opened.tables)))
}

async fn read_all(
    input: &InputSet,
    claim: &Claim,
    ledger: &mut Ledger,
    (watch, helpers): (&mut ProgressReporter<'_>, &mut dyn RowHelpers),
) -> Result<Profile, ImportError> {
    refuse_mixture(input)?;
    // While footers are read.
    helpers.prepare();
    let Opened { tables, unreadable } = open_tables(members_by_table(input), ledger)?;
    missing::check(&tables, &unreadable, ledger);
    let of_other_types = types::check(&tables, ledger);
    let facts = facts::Facts::read(&tables, ledger);
    let (place, links) = (CoreRows::new(facts.first_core), Links::new(tables.contains_key(FLOWS)));
    let n_slices = SLICE_TABLES.iter().filter_map(|name| tables.get(*name)).map(Table::n_rows).fold(0, u64::saturating_add);
    let most = input.members.iter().map(Member::len).fold(0, u64::saturating_add) / BYTES_PER_ROW_MIN;
    let n_slices = usize::try_from(n_slices.min(most)).unwrap_or(0);
    watch.expect_slices(n_slices);
    let mut reading = Reading { t: Timeline::new(), place, links, ends: Vec::new(), sampled_times: Vec::new(), watch: Some(watch) };
    reading.t.builder.expect_slices(n_slices);
    rows::timeline(&tables, &mut reading, helpers, ledger).await;
    reading.report_end();
    if let Some(flows) = tables.get(FLOWS) {
        reading.resolve(flows, ledger);
    }
    let (mut timeline, ends, sampled_times) = (reading.t, reading.ends, reading.sampled_times);
    for table in tables.values() {
        timeline.builder.table(generic::table(table, ledger));
    }
    missing::broken(&tables, ledger);
    let title = match facts.title.is_empty() {
        true => claim.members.first().and_then(|_| input.members.first()).map(|m| directory_name(&m.name)).unwrap_or_default(),
        false => facts.title.clone(),
    };
    let n_cores = timeline.n_cores();
    let (mut meta, domain) = facts.meta(title, n_cores, (&tables, &unreadable));
    meta.not_available.extend(missing::costly(&tables, &of_other_types, facts.n_cores() == Some(1)));
    let window_ns = domain.window_ns;
    let profile = timeline.finish(meta, domain, ledger).0;
    consistency::check(&tables, (&ends, &sampled_times), (&profile, window_ns), ledger);
    Ok(profile)
}

/// What a directory holds.
pub(super) struct Opened {
    /// Its tables, by name.
    pub tables: BTreeMap<String, Table>,
    /// Names of tables with an unreadable file.
    pub unreadable: Vec<String>,
}

/// The tables of a profile; a broken file is omitted, and in the ledger.
pub(super) fn open_tables(members: BTreeMap<String, Vec<&Member>>, ledger: &mut Ledger) -> Result<Opened, ImportError> {
    let mut unreadable: Vec<String> = Vec::new();
    let n = members.values().map(Vec::len).sum::<usize>();
    let mut tables: BTreeMap<String, Table> = BTreeMap::new();
    for (name, members) in members {
        let mut files = Vec::new();
        let mut missing = missing_parts(&name, &members);
        if !missing.is_empty() {
            missing::note_missing(&name, &missing, ledger);
        }
        for member in members {
            match File::open(member) {
                Ok(file) => files.push(file),
                Err(why) => {
                    let reason = "A table is an incomplete or damaged Parquet file. The other tables are shown.";
                    if unreadable.last() != Some(&name) {
                        unreadable.push(name.clone());
                    }
                    missing.push(member.name.clone());
                    ledger.read += 1;
                    ledger.skip(Severity::DataLoss, "unreadable_table", reason, 0, || format!("`{}`: {why}", member.name));
                }
            }
        }
        if !files.is_empty() {
            tables.insert(name.clone(), Table { missing, ..Table::new(&name, files) });
        }
    }
    if tables.is_empty() {
        let found = if n == 1 { "an incomplete file".into() } else { format!("{n} incomplete files") };
        return Err(ImportError::Invalid(format!("Expected Parquet tables, found {found}. Export the profile again.")));
    }
    Ok(Opened { tables, unreadable })
}

/// Part numbers above this are none, but perhaps a date.
const MOST_PARTS: u32 = 10_000;

/// Names of the parts that a table lacks before its last one; of many the first few.
fn missing_parts(table: &str, members: &[&Member]) -> Vec<String> {
    let parts: BTreeSet<u32> = members.iter().map(|m| table_of(&m.name).1).collect();
    let last = parts.last().copied().filter(|last| *last < MOST_PARTS).unwrap_or(0);
    (0..last).filter(|part| !parts.contains(part)).take(5).map(|part| format!("{table}_{part}.parquet")).collect()
}

fn directory_name(path: &str) -> String {
    let mut parts = path.rsplit('/');
    let file = parts.next().unwrap_or(path);
    parts.next().unwrap_or(file).to_string()
}

/// Two files of one table and part come from two profiles.
fn refuse_mixture(input: &InputSet) -> Result<(), ImportError> {
    let mut seen: BTreeMap<(&str, u32), &str> = BTreeMap::new();
    for member in &input.members {
        if let Some(other) = seen.insert(table_of(&member.name), &member.name) {
            return Err(ImportError::Invalid(format!(
                "Expected the tables of one profile, found `{}` twice: `{other}` and `{}`. Drop the directory of one profile at a time.",
                table_of(&member.name).0,
                member.name
            )));
        }
    }
    Ok(())
}

/// Every field of a slice: its row, read again.
pub(super) fn record(input: &InputSet, profile: &Profile, item: EventId) -> Result<Vec<Field>, ImportError> {
    let placed = profile.record_of(item).and_then(|place| Some((place, rows::table_of_record(place.member())?)));
    let Some((place, table)) = placed else {
        return Ok(Vec::new());
    };
    row_fields(input, profile, table, place.offset())
}

/// Every field of a row of a table.
pub(super) fn row_fields(input: &InputSet, profile: &Profile, table: &str, row: u64) -> Result<Vec<Field>, ImportError> {
    let columns = profile.tables.iter().find(|t| t.id == table).map(|t| t.columns.clone()).unwrap_or_default();
    let row = generic::rows(input, table, row, 1)?.into_iter().next().unwrap_or_default();
    let help = generic::help(input, table);
    let fields = columns.into_iter().zip(row).filter_map(|(key, cell)| {
        let value = match cell {
            model::Cell::Absent => return None,
            model::Cell::Int(v) => v.to_string(),
            model::Cell::Float(v) => v.to_string(),
            model::Cell::Text(v) if v.is_empty() => return None,
            model::Cell::Text(v) => v,
        };
        let own = || crate::formats::neuron_json::meaning(&key).map(|(unit, meaning)| (unit.to_string(), meaning.to_string()));
        let (mut unit, meaning) = help.get(&key).cloned().or_else(own).unwrap_or_default();
        if unit.is_empty() && key.ends_with("_bytes") {
            // The schema omits it if the name has it.
            unit = "bytes".into();
        }
        Some(Field { group: generic::group(&key).into(), key, value, unit, help: meaning })
    });
    let mut fields: Vec<Field> = fields.collect();
    crate::formats::neuron_json::skip_unrecorded(&mut fields);
    fields.order_by_key(|f| generic::GROUPS.iter().position(|g| *g == f.group));
    Ok(fields)
}
