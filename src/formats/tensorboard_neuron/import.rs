//! One run out of its members.

use super::chrome::Chrome;
use super::claim::{Kind, kind, run_name};
use super::finish::{Found, finish};
use super::tables::Reader;
use crate::base::input::HEAD_LEN;
use crate::base::{InputSet, Ledger, Member, MemberHead, Severity};
use crate::formats::ImportError;
use crate::formats::json::{Sink, Splitter};
use crate::formats::wording;
use crate::model::Profile;

const BLOCK: u64 = 8 << 20;

/// Reads all members of a run.
pub(super) fn import(input: &InputSet, ledger: &mut Ledger) -> Result<Profile, ImportError> {
    let mut found = Found::default();
    let kinds = input.members.iter().map(member_kind).collect::<Result<Vec<_>, _>>()?;
    let has_json = kinds.contains(&Some(Kind::Timeline)) || kinds.contains(&Some(Kind::Split));
    for (member, kind) in input.members.iter().zip(&kinds) {
        let (id, slot) = match kind {
            Some(Kind::Framework) => ("framework_ops", &mut found.framework),
            Some(Kind::Hlo) => ("hlo_ops", &mut found.hlo),
            _ => continue,
        };
        *slot = Some(table(member, id, ledger)?);
    }
    let first = input.members.first().map_or("", |m| m.name.as_str());
    found.run = run_name(first).into();
    found.file = crate::formats::file_name::file_name(first).into();
    let mut planes = Vec::new();
    if let Some(member) = input.members.iter().zip(&kinds).find(|(_, k)| **k == Some(Kind::XPlane)).map(|m| m.0) {
        if has_json {
            ledger.note(format!("`{}` was not read: the JSON files in the same run contain its data.", member.name));
        } else {
            planes = super::xplane::planes(&member.read(0, member.len())?, ledger)?;
            let [framework, hlo] = super::xplane::tables(&planes, ledger);
            found.framework = found.framework.or(framework);
            found.hlo = found.hlo.or(hlo);
        }
    }
    let mut chrome = Chrome::default();
    std::mem::swap(&mut chrome.ledger, ledger);
    super::xplane::timeline(&planes, &mut chrome);
    drop(planes);
    let fed = timelines(input, &kinds, &mut found, &mut chrome);
    std::mem::swap(&mut chrome.ledger, ledger);
    fed?;
    finish(chrome, found)
}

/// The members that are timelines or traces.
fn timelines(input: &InputSet, kinds: &[Option<Kind>], found: &mut Found, chrome: &mut Chrome) -> Result<(), ImportError> {
    for (at, member) in input.members.iter().enumerate() {
        match kinds[at] {
            Some(Kind::Split) if kinds.contains(&Some(Kind::Timeline)) => {
                chrome.ledger.note(format!("`{}` was not read: it is an intermediate file of the timeline in the same run.", member.name));
            }
            Some(Kind::Timeline | Kind::Split | Kind::Trace) => {
                found.is_trace |= kinds[at] == Some(Kind::Trace);
                chrome.member = at;
                let is_whole = feed(member, &mut Splitter::default(), chrome)?;
                if !is_whole {
                    cut(&mut chrome.ledger, &member.name, member.len());
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn member_kind(member: &Member) -> Result<Option<Kind>, ImportError> {
    let head = member.read_up_to(0, HEAD_LEN as u64)?;
    Ok(kind(&MemberHead { name: member.name.clone(), len: member.len(), head, is_gzip: false }))
}

fn feed(member: &Member, splitter: &mut Splitter, sink: &mut dyn Sink) -> Result<bool, ImportError> {
    let mut offset = 0;
    while offset < member.len() {
        let block = member.read_up_to(offset, BLOCK)?;
        offset += block.len() as u64;
        splitter.feed(&block, sink);
    }
    splitter.finish(sink);
    Ok(splitter.is_at_end())
}

fn table(
    member: &Member,
    id: &str,
    ledger: &mut Ledger,
) -> Result<(crate::model::neuron_log::OpTable, crate::model::GenericTable), ImportError> {
    let mut reader = Reader::new(id, ledger);
    let is_whole = feed(member, &mut Splitter::default(), &mut reader)?;
    let out = reader.finish();
    if !is_whole {
        cut(ledger, &member.name, member.len());
    }
    Ok(out)
}

/// Counts a text that ends after `n_bytes` before its root does.
pub(super) fn cut(ledger: &mut Ledger, name: &str, n_bytes: u64) {
    let reason = wording::JSON_ENDS_EARLY;
    ledger.skip(Severity::DataLoss, "truncated_json", reason, n_bytes, || name.into());
}
