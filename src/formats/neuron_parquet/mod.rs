//! A Neuron Explorer profile: a directory of Parquet tables. See `docs/formats/neuron_parquet.md`.
//!
//! Recognising is light and linked into every worker. Reading needs the Parquet library and its codecs, which only the worker program
//! `full` links: it calls [`install`]. Natively everything is there.

mod checks;
mod import;
mod pages;
mod tables;

use crate::base::Order as _;
use crate::base::{EventId, InputSet, Ledger, MemberHead, SliceId};
use crate::formats::read_ahead::at_once;
use crate::formats::row_pieces::{NoHelpers, RowHelpers, RowPiece, RowReader};
use crate::formats::system_events::Store;
use crate::formats::{Claim, Columns, Field, Format, FormatInfo, ImportError, Importing, ProgressReporter, Recognise};
use crate::model::{Cell, Profile};
use std::collections::BTreeMap;
use std::sync::OnceLock;
use tables::pieces::Piece;

/// The format's id.
pub const ID: &str = "neuron_parquet";

/// First and last bytes of a Parquet file.
const MAGIC: &[u8] = b"PAR1";

/// Tables of a device profile that this page knows a place for; a directory needs one of them to be claimed.
const IDENTIFYING_TABLES: [&str; 14] = [
    "Instruction",
    "DmaPacket",
    "DmaPacketAggregated",
    "SemaphoreUpdate",
    "Summary",
    "NeffHeader",
    "ActiveTime",
    "DmaUsage",
    "SbufUsage",
    "PsumUsage",
    "CcOp",
    "CcInstruction",
    "Warning",
    "SchemaFields",
];

/// Tables of a system profile. They are of the format `neuron_system`, also where tables of a device profile are beside them.
const SYSTEM: [&str; 6] =
    ["SystemProfileEvents", "SystemProfileHbmUsage", "SystemProfileMetadata", "CpuUsage", "HostMemUsage", "DeviceProfileList"];

/// Whether a member is a Parquet table; by name only when there is nothing in it.
pub(super) fn is_table(head: &MemberHead) -> bool {
    head.head.starts_with(MAGIC) || head.len == 0 && head.name.ends_with(".parquet")
}

/// What to say of a panic at that place of the source (a path as the compiler knows it), if the library gave up on the table that is being read.
pub(crate) fn gave_up(place: &str) -> Option<String> {
    // Ours are known by a path that begins in the project.
    let is_ours = place.starts_with("src/") || place.starts_with("src\\");
    if is_ours { None } else { pages::panic_context::gave_up() }
}

/// Whether a table of that path is one of a system profile.
pub(super) fn is_system_table(path: &str) -> bool {
    SYSTEM.contains(&table_of(path).0)
}

/// Neuron Explorer directories.
pub struct NeuronParquet;

/// Rows of a table: its name, the first, how many.
type RowsOf = fn(&InputSet, &str, u64, u64) -> Result<Vec<Vec<Cell>>, ImportError>;

/// Fields of slices, each by the first of its names that there is.
type ColumnsOf = fn(&InputSet, &Profile, &[SliceId], &[&[&str]]) -> Columns;

/// An import with helpers.
type ImportWith =
    for<'a> fn(&'a InputSet, &'a Claim, &'a mut Ledger, &'a mut ProgressReporter<'_>, &'a mut dyn RowHelpers) -> Importing<'a>;

/// What reads the tables, where it is linked.
struct Reader {
    import: ImportWith,
    row_reader: fn(&InputSet) -> Option<Box<dyn RowReader>>,
    unpacked_rows: fn(&[u8]) -> Option<Piece>,
    record: fn(&InputSet, &Profile, EventId) -> Result<Vec<Field>, ImportError>,
    rows: RowsOf,
    columns: ColumnsOf,
    system: fn(&InputSet, &mut Store, &mut Ledger) -> Result<(), ImportError>,
    system_record: fn(&InputSet, &Profile, u64) -> Result<Vec<Field>, ImportError>,
}

static READER: OnceLock<Reader> = OnceLock::new();

/// Links the Parquet library into this program.
pub fn install() {
    // The second call finds the same functions there.
    let _ = READER.set(Reader {
        import: import::import,
        row_reader: import::row_reader,
        unpacked_rows: Piece::unpacked,
        record: import::record,
        rows: tables::generic::rows,
        columns: tables::fields::read,
        system: tables::system::read,
        system_record: tables::system::record,
    });
}

/// Reads the tables of a system profile into `store`.
pub(super) fn read_system(input: &InputSet, store: &mut Store, ledger: &mut Ledger) -> Result<(), ImportError> {
    (reader()?.system)(input, store, ledger)
}

/// Every field of a row of the system profile's events.
pub(super) fn system_record(input: &InputSet, profile: &Profile, row: u64) -> Result<Vec<Field>, ImportError> {
    pages::panic_context::caught(|| (reader()?.system_record)(input, profile, row))
}

fn reader() -> Result<&'static Reader, ImportError> {
    #[cfg(not(target_arch = "wasm32"))]
    install();
    READER.get().ok_or_else(|| ImportError::Unsupported("Parquet tables need the Parquet worker. Reload the page.".into()))
}

impl Recognise for NeuronParquet {
    fn id(&self) -> &'static str {
        ID
    }

    fn info(&self) -> FormatInfo {
        FormatInfo {
            id: ID.into(),
            title: "Neuron Explorer profile (Parquet)".into(),
            files: "a directory of .parquet".into(),
            shows: "Device timeline and tables of a Neuron Explorer profile.".into(),
            capture: "neuron-explorer view -n model.neff -s profile.ntff --output-format parquet --output-file profile/".into(),
            caveats: "Drop the directory or all of its tables together; tables without rows have no file.".into(),
        }
    }

    fn claim(&self, heads: &[MemberHead], taken: &[bool]) -> Vec<Claim> {
        let mut directories: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (i, head) in heads.iter().enumerate() {
            if is_table(head) && !is_system_table(&head.name) && taken.get(i) != Some(&true) {
                directories.entry(directory(&head.name)).or_default().push(i);
            }
        }
        let has_identifying_table = |members: &[usize]| members.iter().any(|&m| IDENTIFYING_TABLES.contains(&table_of(&heads[m].name).0));
        let claims = directories.into_iter().filter(|(_, members)| has_identifying_table(members));
        claims
            .map(|(_, mut members)| {
                members.order_by(|&a, &b| table_of(&heads[a].name).cmp(&table_of(&heads[b].name)));
                let recognised = format!("{} Parquet tables with the names of a Neuron Explorer profile.", members.len());
                Claim { format: ID.into(), members, recognised }
            })
            .collect()
    }
}

impl Format for NeuronParquet {
    fn import(&self, input: &InputSet, claim: &Claim, ledger: &mut Ledger, watch: &mut ProgressReporter) -> Result<Profile, ImportError> {
        at_once((reader()?.import)(input, claim, ledger, watch, &mut NoHelpers))
    }

    fn import_side_by_side<'a>(
        &self,
        input: &'a InputSet,
        claim: &'a Claim,
        ledger: &'a mut Ledger,
        watch: &'a mut ProgressReporter<'_>,
        helpers: &'a mut dyn RowHelpers,
    ) -> Option<Importing<'a>> {
        Some((reader().ok()?.import)(input, claim, ledger, watch, helpers))
    }

    fn row_reader(&self, input: &InputSet) -> Option<Box<dyn RowReader>> {
        (reader().ok()?.row_reader)(input)
    }

    fn unpacked_rows(&self, bytes: &[u8]) -> Option<Box<dyn RowPiece>> {
        Some(Box::new((reader().ok()?.unpacked_rows)(bytes)?))
    }

    fn record(&self, input: &InputSet, profile: &Profile, item: EventId) -> Result<Vec<Field>, ImportError> {
        pages::panic_context::caught(|| (reader()?.record)(input, profile, item))
    }

    fn columns(&self, input: &InputSet, profile: &Profile, slices: &[SliceId], keys: &[&[&str]]) -> Option<Columns> {
        Some(pages::panic_context::caught(|| (reader()?.columns)(input, profile, slices, keys)))
    }

    fn rows(&self, input: &InputSet, table: &str, first: u64, n: u64) -> Result<Vec<Vec<Cell>>, ImportError> {
        pages::panic_context::caught(|| (reader()?.rows)(input, table, first, n))
    }
}

/// The path without its last part.
fn directory(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |p| p.0)
}

/// `a/b/Instruction_1.parquet` → (`Instruction`, 1); a table that is not split is part 0.
fn table_of(path: &str) -> (&str, u32) {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.strip_suffix(".parquet").unwrap_or(name);
    match stem.rsplit_once('_').and_then(|(table, part)| Some((table, part.parse().ok()?))) {
        Some(split) => split,
        None => (stem, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(name: &str, head: &[u8]) -> MemberHead {
        MemberHead { name: name.into(), len: head.len() as u64, head: head.into(), is_gzip: false }
    }

    #[test]
    fn a_directory_is_a_profile() {
        let names = [
            "a/Instruction_10.parquet",
            "a/Instruction_2.parquet",
            "a/DmaPacket.parquet",
            "b/Summary.parquet",
            "b/x.txt",
            "c/Other.parquet",
        ];
        let heads: Vec<MemberHead> = names.iter().map(|n| head(n, if n.ends_with("txt") { b"text" } else { b"PAR1" })).collect();
        let claims = NeuronParquet.claim(&heads, &[false; 6]);
        let members: Vec<Vec<usize>> = claims.into_iter().map(|c| c.members).collect();
        assert_eq!(members, [vec![2, 1, 0], vec![3]]);
    }

    #[test]
    fn split_tables_have_a_number() {
        assert_eq!(table_of("p/Instruction_1.parquet"), ("Instruction", 1));
        assert_eq!(table_of("Summary.parquet"), ("Summary", 0));
        assert_eq!(table_of("my_table.parquet"), ("my_table", 0));
    }
}
