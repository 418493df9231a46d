//! The 1024 bytes at the head of a NEFF.

use crate::formats::ImportError;
use crate::formats::ntff::little_endian;

/// Bytes of the header.
pub(crate) const HEADER: usize = 1024;
const UUID_AT: usize = 0xCC;

/// The header.
#[derive(Debug, Clone, Default)]
pub(crate) struct Header {
    pub package_version: u64,
    pub data_size: u64,
    pub major: u64,
    pub minor: u64,
    pub build: String,
    pub n_logical_cores: u64,
    pub hash: String,
    pub uuid: Vec<u8>,
    pub network: String,
    pub features: u64,
    /// Physical cores of a logical core.
    pub lnc_size: u64,
}

/// The uuid in the head of a NEFF; `None` when it is none.
pub(crate) fn sniff(head: &[u8]) -> Option<Vec<u8>> {
    let number = |at: usize| head.get(at..at + 8).map(little_endian);
    let is_neff = (1..=16).contains(&number(0)?) && number(8)? == HEADER as u64 && number(0x18)? < 64 && number(0x20)? < 1024;
    let is_packed = head.get(HEADER..HEADER + 2).is_none_or(|b| b == [0x1f, 0x8b]);
    let is_tar = head.get(HEADER + 257..HEADER + 262).is_some_and(|b| b == b"ustar");
    (is_neff && (is_packed || is_tar)).then(|| head.get(UUID_AT..UUID_AT + 16).map(<[u8]>::to_vec)).flatten()
}

/// Reads the header of `name`; `len` is the file's.
pub(crate) fn read(name: &str, len: u64, bytes: &[u8]) -> Result<Header, ImportError> {
    if bytes.len() < HEADER {
        return Err(ImportError::Invalid(format!("Expected a NEFF header of {HEADER} bytes, found the end of `{name}` at byte {len}.")));
    }
    let number = |at: usize| little_endian(&bytes[at..at + 8]);
    let short = |at: usize| little_endian(&bytes[at..at + 4]);
    let text = |at: usize, n: usize| {
        let end = bytes[at..at + n].iter().position(|b| *b == 0).unwrap_or(n);
        String::from_utf8_lossy(&bytes[at..at + end]).into_owned()
    };
    let size = number(8);
    if size != HEADER as u64 {
        return Err(ImportError::Unsupported(format!(
            "Expected a NEFF header of {HEADER} bytes, found a header of {size} bytes at byte 8 of `{name}`."
        )));
    }
    Ok(Header {
        package_version: number(0),
        data_size: number(0x10),
        major: number(0x18),
        minor: number(0x20),
        build: text(0x28, 128),
        n_logical_cores: short(0xA8),
        hash: hex(&bytes[0xAC..UUID_AT]),
        uuid: bytes[UUID_AT..UUID_AT + 16].to_vec(),
        network: text(0xDC, 256),
        features: number(0x220),
        lnc_size: short(0x228),
    })
}

/// Bytes as hex digits; trailing zero bytes of a longer field are omitted.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let n = if bytes.len() > 16 && bytes[16..].iter().all(|b| *b == 0) { 16 } else { bytes.len() };
    bytes[..n].iter().map(|b| format!("{b:02x}")).collect()
}
