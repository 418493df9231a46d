//! The profile of a system profile: its files read one after the other into one store.

use super::claim::{Kind, kind};
use super::framework::Framework;
use super::json::Reader;
use crate::base::input::HEAD_LEN;
use crate::base::{InputSet, Ledger, Member, MemberHead, Severity};
use crate::formats::file_name::file_name;
use crate::formats::json::{Sink, Splitter};
use crate::formats::neuron_json::tables::Tables;
use crate::formats::system_events::Store;
use crate::formats::wording;
use crate::formats::{ImportError, ProgressReporter, neuron_parquet};
use crate::model::{Profile, ProfileBuilder};

const BLOCK: u64 = 8 << 20;

/// Reads a system profile.
pub(super) fn import(input: &InputSet, ledger: &mut Ledger, watch: &mut ProgressReporter<'_>) -> Result<Profile, ImportError> {
    let (mut store, mut tables) = (Store::new(), Tables::default());
    let kinds = input.members.iter().map(member_kind).collect::<Result<Vec<_>, _>>()?;
    let of = |wanted: Kind| (0..kinds.len()).filter(|&i| kinds[i] == Some(wanted)).collect::<Vec<_>>();
    for member in of(Kind::Json) {
        let mut reader = Reader::new(&mut store, &mut tables, ledger, member);
        let is_whole = feed(&input.members[member], &mut reader, watch)?;
        reader.finish();
        if !is_whole {
            cut(ledger, &input.members[member]);
        }
    }
    tables.finish().into_iter().for_each(|table| store.builder.table(table));
    let is_directory = !of(Kind::Parquet).is_empty();
    if is_directory {
        neuron_parquet::read_system(input, &mut store, ledger)?;
    }
    if store.is_empty() {
        return Err(ImportError::Invalid("Expected events, memory use or CPU use in the system profile, found none.".into()));
    }
    // The traces are read last, when their instance is known.
    for member in of(Kind::Framework) {
        let mut framework = Framework::new(&mut store, ledger, member, &input.members[member].name);
        let is_whole = feed(&input.members[member], &mut framework, watch)?;
        framework.finish();
        if !is_whole {
            cut(ledger, &input.members[member]);
        }
    }
    watch.end(&ProfileBuilder::new());
    let first = input.members.first().map_or("", |m| m.name.as_str());
    let title = if is_directory { directory_name(first) } else { file_name(first) };
    Ok(store.finish(title.into(), ledger))
}

/// `a/run@latest/SystemProfileEvents.parquet` → `run@latest`.
fn directory_name(path: &str) -> &str {
    let mut parts = path.rsplit('/');
    let file = parts.next().unwrap_or(path);
    parts.next().unwrap_or(file)
}

fn member_kind(member: &Member) -> Result<Option<Kind>, ImportError> {
    let head = member.read_up_to(0, HEAD_LEN as u64)?;
    Ok(kind(&MemberHead { name: member.name.clone(), len: member.len(), head, is_gzip: false }))
}

/// A sink that counts.
trait Counting: Sink {
    /// Records read so far.
    fn n_read(&self) -> u64;
}

impl Counting for Reader<'_> {
    fn n_read(&self) -> u64 {
        self.ledger.read
    }
}

impl Counting for Framework<'_> {
    fn n_read(&self) -> u64 {
        self.ledger.read
    }
}

/// Whether the text is whole.
fn feed<S: Counting>(member: &Member, sink: &mut S, watch: &mut ProgressReporter<'_>) -> Result<bool, ImportError> {
    let mut splitter = Splitter::default();
    let mut offset = 0;
    // Slices come when all clocks are known: only how far it is can be reported meanwhile.
    let no_slices = ProfileBuilder::new();
    while offset < member.len() {
        let block = member.read_up_to(offset, BLOCK)?;
        offset += block.len() as u64;
        let before = sink.n_read();
        splitter.feed(&block, sink);
        watch.read(block.len() as u64, sink.n_read() - before, &no_slices);
    }
    splitter.finish(sink);
    Ok(splitter.is_at_end())
}

fn cut(ledger: &mut Ledger, member: &Member) {
    let reason = wording::JSON_ENDS_EARLY;
    ledger.skip(Severity::DataLoss, "truncated_json", reason, member.len(), || member.name.clone());
}
