//! Archives as directories: the members of `.zip`, `.tar` and `.tar.gz` become members of the drop.
//!
//! Nothing is unpacked here. A stored member is a byte range of the archive; a deflated one is presented as a gzip file, so that it is inflated as
//! a stream, verified and bounded like any other. Archives inside archives are not opened.

mod tar;
mod zip;

use super::gzip::{INFLATED_MAX, is_gzip};
use super::heads;
use crate::base::{ByteSource, InputError, InputSet, Member, SourceError, text};
use crate::formats::ImportError;
use std::sync::Arc;

/// Most members of one archive; further ones are noted and ignored.
const MAX_MEMBERS: usize = 10_000;
/// Longest name of a member, bytes.
const MAX_NAME: usize = 4_096;

/// The members of a drop with the archives among them opened.
#[derive(Debug, Default)]
pub struct Expanded {
    /// Files, and instead of each archive its members, named `archive.zip/path`.
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
    /// The member is deflated; its content can be gzip as well.
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
                        Err(why) => out.notes.push(why.to_string()),
                    }
                }
            }
        }
    }
    out
}

/// The members of an archive, or why it cannot be listed; `None` when the file is none.
fn listing(file: &Member) -> Option<Result<Listing, ArchiveError>> {
    // An unreadable file is reported when it is opened.
    let head = heads::heads(&InputSet { members: vec![file.clone()] }).ok()?.pop()?;
    if zip::is_zip(&head.head) && !head.is_gzip {
        return Some(zip::list(file));
    }
    if !tar::is_tar(&head.head) {
        return None;
    }
    Some(heads::inflated(file).map_err(ArchiveError::Inflating).and_then(|text| tar::list(&text)))
}

/// For a deflated member that is itself gzip: the gzip file at random access. Others are unchanged.
fn unwrapped(member: &Member) -> Result<Member, ImportError> {
    let head = heads::heads(&InputSet { members: vec![member.clone()] })?.pop();
    match head.is_some_and(|h| is_gzip(&h.head)) {
        true => heads::inflated(member),
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

/// Why an archive, or a member of it, is not read. The message is the end of a sentence that begins with the archive's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum ArchiveError {
    /// The bytes could not be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The archive is gzip and could not be inflated.
    #[error(transparent)]
    Inflating(ImportError),
    /// A ZIP archive without the record at its end.
    #[error("expected the directory of a ZIP archive at its end, found none. The file is truncated or still being written.")]
    NoDirectory,
    /// Bytes of the directory.
    #[error("its directory has {}; expected at most {}.", text::bytes(*.found), text::bytes(*.most))]
    LongDirectory { found: u64, most: u64 },
    /// Two members claim the same bytes.
    #[error(
        "the members `{}` and `{}` of this archive share bytes; expected separate byte ranges, as in archives that are not \
         malicious; it is not read.",
        short(.0),
        short(.1)
    )]
    SharedBytes(String, String),
    /// The member's path is absolute or has `..`.
    #[error("the member `{}` has a path outside the archive; it is not read.", short(.0))]
    UnsafeName(String),
    /// The member inflates to more than [`INFLATED_MAX`].
    #[error("the member `{}` unpacks to {}; expected at most {}. Record fewer steps or split the file.", short(.name), text::bytes(*.len), text::bytes(INFLATED_MAX))]
    TooLong { name: String, len: u64 },
    #[error("the member `{}` is encrypted; expected plain data. Unpack it with its password and open the result.", short(.0))]
    Encrypted(String),
    /// Packed and unpacked bytes in the directory.
    #[error(
        "the member `{}` claims that {} unpack to {}, more than deflate allows; it is damaged or malicious.",
        short(.name),
        text::bytes(*.packed),
        text::bytes(*.unpacked)
    )]
    Ratio { name: String, packed: u64, unpacked: u64 },
    #[error("the member `{}` is not at the offset listed in the directory; the archive is damaged or truncated.", short(.0))]
    Misplaced(String),
    #[error("the member `{}` uses compression method {method}; expected 0 (stored) or 8 (deflate). Create the archive again.", short(.name))]
    Method { name: String, method: u16 },
}

fn short(name: &str) -> String {
    text::middle_ellipsis(name, 60)
}

/// An interval of another member.
struct Part {
    whole: Member,
    offset: u64,
    len: u64,
}

impl ByteSource for Part {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<(), SourceError> {
        let bytes = self.whole.read(self.offset + offset, out.len() as u64)?;
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
