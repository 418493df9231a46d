//! The profile of a system profile: its files read one after the other into one store.

use super::claim::{Kind, kind};
use super::framework::Framework;
use super::json::Reader;
use super::store::Store;
use crate::base::input::HEAD_LEN;
use crate::base::{InputSet, Ledger, Member, MemberHead, Severity};
use crate::formats::import::file_name;
use crate::formats::json::{Sink, Splitter};
use crate::formats::wording;
use crate::formats::{ImportError, neuron_parquet};
use crate::model::Profile;

const BLOCK: u64 = 8 << 20;

/// Reads a system profile.
pub(super) fn import(input: &InputSet, ledger: &mut Ledger) -> Result<Profile, ImportError> {
    let mut store = Store::new();
    let kinds = input.members.iter().map(member_kind).collect::<Result<Vec<_>, _>>()?;
    let of = |wanted: Kind| (0..kinds.len()).filter(|&i| kinds[i] == Some(wanted)).collect::<Vec<_>>();
    for member in of(Kind::Json) {
        let mut reader = Reader { store: &mut store, ledger, member, section: Vec::new() };
        if !feed(&input.members[member], &mut reader)? {
            cut(ledger, &input.members[member]);
        }
    }
    let tables = of(Kind::Parquet);
    if !tables.is_empty() {
        neuron_parquet::read_system(input, &mut store, ledger)?;
    }
    if store.is_empty() {
        return Err(ImportError::Invalid("Expected events, memory use or CPU use in the system profile, found none.".into()));
    }
    // The traces come last: by then it is known of which instance they are.
    for member in of(Kind::Framework) {
        let mut framework = Framework::new(&mut store, ledger, member, &input.members[member].name);
        let is_whole = feed(&input.members[member], &mut framework)?;
        framework.finish();
        if !is_whole {
            cut(ledger, &input.members[member]);
        }
    }
    let first = input.members.first().map_or("", |m| m.name.as_str());
    let title = if tables.is_empty() { file_name(first) } else { directory_name(first) };
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

/// Whether the text is whole.
fn feed(member: &Member, sink: &mut dyn Sink) -> Result<bool, ImportError> {
    let mut splitter = Splitter::default();
    let mut offset = 0;
    while offset < member.len() {
        let block = member.read_up_to(offset, BLOCK)?;
        offset += block.len() as u64;
        splitter.feed(&block, sink);
    }
    splitter.finish(sink);
    Ok(splitter.is_at_end())
}

fn cut(ledger: &mut Ledger, member: &Member) {
    let reason = wording::JSON_ENDS_EARLY;
    ledger.skip(Severity::DataLoss, "truncated_json", reason, member.len(), || member.name.clone());
}
