//! The bytes of a drop: named members with length, head and random access. Does no I/O itself; a [`ByteSource`] does.

use std::fmt;
use std::sync::Arc;

/// Why bytes could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// The read begins or ends beyond the member.
    #[error("Expected {wanted} bytes at offset {offset}, found the end of the file at {len} in `{name}`.")]
    BeyondEnd {
        /// First byte asked for.
        offset: u64,
        /// How many.
        wanted: u64,
        /// The member's length.
        len: u64,
        /// The member's name.
        name: String,
    },
    /// The platform refused: the file changed, disappeared or may not be read.
    #[error("`{name}` could not be read: {why} It may have been changed, moved or deleted after it was opened.")]
    Unreadable {
        /// The member's name.
        name: String,
        /// The error of the source.
        why: SourceError,
    },
}

/// Why a [`ByteSource`] could not give bytes. The sentence ends in a full stop.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// The message of the operating system or the browser.
    #[error("{0}")]
    Platform(String),
    /// Another number of bytes than the range has.
    #[error("Expected {wanted} bytes, the browser returned {found}.")]
    Length {
        /// Bytes of the range.
        wanted: u64,
        /// Bytes that came.
        found: u64,
    },
    /// The range is not inside the source.
    #[error("The range is outside the file.")]
    Outside,
    /// Data that inflated when the file was opened does not any more.
    #[error("The compressed data changed after it was opened.")]
    Changed,
    /// Another thread failed while it held the source.
    #[error("The file is in use.")]
    InUse,
    /// The member that the bytes are taken from could not be read.
    #[error(transparent)]
    Member(#[from] Box<InputError>),
}

impl From<InputError> for SourceError {
    fn from(error: InputError) -> Self {
        SourceError::Member(Box::new(error))
    }
}

/// `Send + Sync` natively; any type in a browser, where a worker has one thread.
#[cfg(target_arch = "wasm32")]
pub trait Shared {}
#[cfg(target_arch = "wasm32")]
impl<T: ?Sized> Shared for T {}
/// `Send + Sync` natively.
#[cfg(not(target_arch = "wasm32"))]
pub trait Shared: Send + Sync {}
#[cfg(not(target_arch = "wasm32"))]
impl<T: Send + Sync + ?Sized> Shared for T {}

/// Random access to the bytes of one member.
pub trait ByteSource: Shared {
    /// Total bytes.
    fn len(&self) -> u64;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fills `out` from `offset`. The caller has checked the bounds.
    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<(), SourceError>;

    /// Fills `out` with the parts, (offset, bytes) each, one after the other. Override it where each read is a round trip, to batch them.
    fn read_parts(&self, parts: &[(u64, usize)], out: &mut [u8]) -> Result<(), SourceError> {
        let mut rest = out;
        for &(offset, n_bytes) in parts {
            let (part, after) = rest.split_at_mut(n_bytes.min(rest.len()));
            self.read_at(offset, part)?;
            rest = after;
        }
        Ok(())
    }
}

/// Bytes in memory.
pub struct MemorySource(pub Vec<u8>);

impl ByteSource for MemorySource {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<(), SourceError> {
        let start = usize::try_from(offset).map_err(|_| SourceError::Outside)?;
        let from = self.0.get(start..start.saturating_add(out.len())).ok_or(SourceError::Outside)?;
        out.copy_from_slice(from);
        Ok(())
    }
}

/// Bytes of a member that are read to recognise its format.
pub const HEAD_LEN: usize = 64 * 1024;

/// What `claim` sees of a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberHead {
    /// File name with the path below the drop, `/` between parts. A hint only.
    pub name: String,
    /// Total bytes.
    pub len: u64,
    /// The first [`HEAD_LEN`] bytes, or all; of the inflated text when the member is gzip.
    pub head: Vec<u8>,
    /// Whether the member is gzip and `head` is of its inflated text.
    pub is_gzip: bool,
}

/// One file of a drop.
#[derive(Clone)]
pub struct Member {
    /// File name with the path below the drop.
    pub name: String,
    source: Arc<dyn ByteSource>,
}

impl fmt::Debug for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Member({}, {} bytes)", self.name, self.len())
    }
}

impl Member {
    /// A member over any source.
    pub fn new(name: impl Into<String>, source: Arc<dyn ByteSource>) -> Self {
        Member { name: name.into(), source }
    }

    /// A member in memory.
    pub fn from_bytes(name: impl Into<String>, bytes: Vec<u8>) -> Self {
        Member::new(name, Arc::new(MemorySource(bytes)))
    }

    /// The same bytes under another name.
    pub fn renamed(self, name: impl Into<String>) -> Self {
        Member { name: name.into(), ..self }
    }

    /// Whether both are the same bytes under the same name.
    pub fn is_same(&self, other: &Member) -> bool {
        self.name == other.name && Arc::ptr_eq(&self.source, &other.source)
    }

    /// Total bytes.
    pub fn len(&self) -> u64 {
        self.source.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Exactly `n_bytes` from `offset`. The bound is checked before anything is allocated.
    pub fn read(&self, offset: u64, n_bytes: u64) -> Result<Vec<u8>, InputError> {
        let mut out = Vec::new();
        self.read_into(offset, n_bytes, &mut out)?;
        Ok(out)
    }

    /// The same, replacing the content of `out`, so that many blocks need the memory of one.
    pub fn read_into(&self, offset: u64, n_bytes: u64, out: &mut Vec<u8>) -> Result<(), InputError> {
        let beyond = || InputError::BeyondEnd { offset, wanted: n_bytes, len: self.len(), name: self.name.clone() };
        if offset.checked_add(n_bytes).is_none_or(|end| end > self.len()) {
            return Err(beyond());
        }
        out.resize(usize::try_from(n_bytes).map_err(|_| beyond())?, 0);
        self.source.read_at(offset, out).map_err(|why| InputError::Unreadable { name: self.name.clone(), why })
    }

    /// Several parts, (offset, bytes) each, one after the other in one list. Bounds are checked before anything is allocated.
    pub fn read_parts(&self, parts: &[(u64, usize)]) -> Result<Vec<u8>, InputError> {
        let is_inside = |&(offset, n): &(u64, usize)| offset.checked_add(n as u64).is_some_and(|end| end <= self.len());
        if let Some(&(offset, n)) = parts.iter().find(|p| !is_inside(p)) {
            return Err(InputError::BeyondEnd { offset, wanted: n as u64, len: self.len(), name: self.name.clone() });
        }
        let mut out = vec![0; parts.iter().map(|p| p.1).sum()];
        self.source.read_parts(parts, &mut out).map_err(|why| InputError::Unreadable { name: self.name.clone(), why })?;
        Ok(out)
    }

    /// Up to `n_bytes` from `offset`: fewer at the end of the member, none beyond it.
    pub fn read_up_to(&self, offset: u64, n_bytes: u64) -> Result<Vec<u8>, InputError> {
        let left = self.len().saturating_sub(offset);
        self.read(offset.min(self.len()), n_bytes.min(left))
    }
}

/// The members of one drop, or of one profile.
#[derive(Debug, Clone, Default)]
pub struct InputSet {
    /// In the order dropped.
    pub members: Vec<Member>,
}

impl InputSet {
    /// A set of one member in memory.
    pub fn from_bytes(name: impl Into<String>, bytes: Vec<u8>) -> Self {
        InputSet { members: vec![Member::from_bytes(name, bytes)] }
    }

    /// Bytes of all members.
    pub fn n_bytes(&self) -> u64 {
        self.members.iter().map(Member::len).fold(0, u64::saturating_add)
    }

    /// The same members in memory, each read at once: where each read is a round trip, many small reads take longer than one of everything.
    pub fn at_hand(&self) -> Result<InputSet, InputError> {
        let members = self.members.iter().map(|m| Ok(Member::from_bytes(m.name.clone(), m.read(0, m.len())?)));
        Ok(InputSet { members: members.collect::<Result<_, InputError>>()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_are_bounded() {
        let member = Member::from_bytes("x", vec![1, 2, 3]);
        assert_eq!(member.read(1, 2), Ok(vec![2, 3]));
        let mut block = vec![9; 5];
        assert_eq!((member.read_into(2, 1, &mut block), block), (Ok(()), vec![3]));
        assert!(matches!(member.read(2, 2), Err(InputError::BeyondEnd { .. })));
        assert!(matches!(member.read(u64::MAX, u64::MAX), Err(InputError::BeyondEnd { .. })));
        assert_eq!(member.read_up_to(2, 100), Ok(vec![3]));
        assert_eq!(member.read_up_to(9, 100), Ok(vec![]));
        assert_eq!(member.read_parts(&[(2, 1), (0, 2), (3, 0)]), Ok(vec![3, 1, 2]));
        assert!(matches!(member.read_parts(&[(0, 1), (2, 2)]), Err(InputError::BeyondEnd { offset: 2, .. })));
    }

    #[test]
    fn what_is_at_hand_is_the_same() {
        let set = InputSet { members: vec![Member::from_bytes("a", vec![1, 2]), Member::from_bytes("b/c", Vec::new())] };
        let at_hand = set.at_hand().expect("in memory");
        assert_eq!((at_hand.n_bytes(), set.n_bytes()), (2, 2));
        for (a, b) in set.members.iter().zip(&at_hand.members) {
            assert_eq!((&a.name, a.read(0, a.len())), (&b.name, b.read(0, b.len())));
        }
    }
}
