//! Archives as directories: the members of `.zip`, `.tar` and `.tar.gz` become members of the drop.
//!
//! Nothing is unpacked here. A stored member is a byte range of the archive; a deflated one is presented as a gzip file, so that it is inflated as
//! a stream, verified and bounded like any other. Archives inside archives are not opened.

mod tar;
mod zip;

use super::gzip::{INFLATED_MAX, is_gzip};
use super::import;
use crate::base::{ByteSource, InputSet, Member, text};
use std::sync::Arc;

/// Most members of one archive; further ones are noted and ignored.
const MAX_MEMBERS: usize = 10_000;
/// Longest name of a member, bytes.
const MAX_NAME: usize = 4_096;

/// The members of a drop with the archives among them opened.
#[derive(Debug, Default)]
pub struct Expanded {
    /// Files, and in place of each archive its members, named `archive.zip/path`.
    pub input: InputSet,
    /// For each member the position of the file it comes from.
    pub files: Vec<usize>,
    /// Sentences on members that were refused.
    pub notes: Vec<String>,
}

impl Expanded {
    fn push(&mut self, member: Member, file: usize) {
        self.input.members.push(member);
        self.files.push(file);
    }
}

/// A member as an archive lists it.
struct Entry {
    name: String,
    member: Member,
    /// It is deflated, and may hold gzip itself.
    is_packed: bool,
}

/// The members of an archive, and sentences on refused ones.
#[derive(Default)]
struct Listing {
    entries: Vec<Entry>,
    notes: Vec<String>,
}

impl Listing {
    fn note(&mut self, note: String) {
        const N_NOTES: usize = 5;
        match self.notes.len() {
            n if n < N_NOTES => self.notes.push(note),
            N_NOTES => self.notes.push("More members are skipped for the same reasons.".into()),
            _ => {}
        }
    }
}

/// Opens the archives among `input`. With `wanted`, only members of these names are looked into.
pub fn expand(input: &InputSet, wanted: Option<&[String]>) -> Expanded {
    let mut out = Expanded::default();
    for (i, file) in input.members.iter().enumerate() {
        match listing(file) {
            None => out.push(file.clone(), i),
            Some(Err(why)) => {
                out.notes.push(format!("`{}`: {why}", file.name));
                out.push(file.clone(), i);
            }
            Some(Ok(listing)) => {
                out.notes.extend(listing.notes.into_iter().map(|note| format!("`{}`: {note}", file.name)));
                for entry in listing.entries {
                    let name = format!("{}/{}", file.name, entry.name);
                    if wanted.is_some_and(|wanted| !wanted.contains(&name)) {
                        continue;
                    }
                    let member = entry.member.renamed(name);
                    match if entry.is_packed { unwrapped(&member) } else { Ok(member) } {
                        Ok(member) => out.push(member, i),
                        Err(why) => out.notes.push(why),
                    }
                }
            }
        }
    }
    out
}

/// The members of an archive, or why it cannot be listed; `None` when the file is none.
fn listing(file: &Member) -> Option<Result<Listing, String>> {
    // A file that cannot be read says so where it is opened.
    let head = import::heads(&InputSet { members: vec![file.clone()] }).ok()?.pop()?;
    if zip::is_zip(&head.head) && !head.is_gzip {
        return Some(zip::list(file));
    }
    if !tar::is_tar(&head.head) {
        return None;
    }
    Some(import::inflated(file).map_err(|e| e.to_string()).and_then(|text| tar::list(&text)))
}

/// A deflated member that is gzip itself: the gzip file, at random access. Others stay as they are.
fn unwrapped(member: &Member) -> Result<Member, String> {
    let head = import::heads(&InputSet { members: vec![member.clone()] }).map_err(|e| e.to_string())?.pop();
    match head.is_some_and(|h| is_gzip(&h.head)) {
        true => import::inflated(member).map_err(|e| e.to_string()),
        false => Ok(member.clone()),
    }
}

/// No way out of the archive: relative, without `..`, without drive letters or bytes that no name has.
pub(crate) fn is_plain(name: &str) -> bool {
    let has_drive = name.as_bytes().get(1) == Some(&b':');
    !name.is_empty()
        && name.len() <= MAX_NAME
        && !has_drive
        && !name.starts_with(['/', '\\'])
        && !name.contains('\0')
        && !name.split(['/', '\\']).any(|part| part == "..")
}

/// What is in every archive of some systems and never a profile.
fn is_litter(name: &str) -> bool {
    name.starts_with("__MACOSX/") || name.rsplit('/').next().is_some_and(|file| file.starts_with("._") || file == ".DS_Store")
}

fn unsafe_name(name: &str) -> String {
    format!("the member `{}` has a path outside the archive; it is not read.", text::middle_ellipsis(name, 60))
}

fn too_long(name: &str, len: u64) -> String {
    let (len, most) = (text::bytes(len), text::bytes(INFLATED_MAX));
    format!(
        "the member `{}` unpacks to {len}; expected at most {most}. Record fewer steps or split the file.",
        text::middle_ellipsis(name, 60)
    )
}

/// A stretch of another member.
struct Part {
    whole: Member,
    offset: u64,
    len: u64,
}

impl ByteSource for Part {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<(), String> {
        let bytes = self.whole.read(self.offset + offset, out.len() as u64).map_err(|e| e.to_string())?;
        out.copy_from_slice(&bytes);
        Ok(())
    }
}

/// `len` bytes of `whole` from `offset`; the caller has checked that they are there.
#[allow(clippy::arc_with_non_send_sync, reason = "a member is shared within one thread; `Member` wants an `Arc`")]
fn part(whole: &Member, offset: u64, len: u64) -> Member {
    Member::new(whole.name.clone(), Arc::new(Part { whole: whole.clone(), offset, len }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_must_stay_inside() {
        for name in ["../x", "a/../../x", "/etc/x", "", "a\\..\\x", "C:\\x", "a\0b", &"n".repeat(5000)] {
            assert!(!is_plain(name), "{name}");
        }
        assert!(is_plain("sg00/def.json") && is_plain("./info.json") && is_plain("a..b"));
        assert!(is_litter("__MACOSX/a.json") && is_litter("a/.DS_Store") && !is_litter("a/b.json"));
    }
}
