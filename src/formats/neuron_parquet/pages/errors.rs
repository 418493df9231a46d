//! Errors of a file: what was expected, what was found, and where. Each is the end of a sentence.

use crate::base::{InputError, Member};
use parquet::basic::Compression;
use parquet::errors::ParquetError;

/// What was found instead of a column's values. The message is the end of a sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Found {
    /// The bytes could not be read.
    #[error("{}", of_input(.0))]
    Input(InputError),
    #[error("an encoding that this page does not support")]
    UnsupportedEncoding,
    #[error("truncated bytes")]
    TruncatedBytes,
    #[error("invalid bytes")]
    InvalidBytes,
    #[error("a page that ends early")]
    ShortPage,
    #[error("a row with an index outside their dictionary")]
    OutsideDictionary,
    /// Bits of a number; at most 32 are allowed.
    #[error("numbers of {0} bits")]
    Width(u32),
    #[error("more rows than the limit")]
    TooManyRows,
    /// Fewer values than another column of the row group.
    #[error("their end")]
    End,
}

/// Why further rows of a file cannot be read. The message is the end of a sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RowsError {
    /// The row group of that number.
    #[error("expected its row group {group}, found {found}")]
    Group { group: usize, found: Found },
    /// A column from row `at` of the file on.
    #[error("expected the values of its column `{name}`{} from row {at} on, found {found}", if .codec.is_empty() { String::new() } else { format!(" (packed by {codec})") })]
    Column { name: String, codec: &'static str, at: u64, found: Found },
    /// Fewer rows than the footer states.
    #[error("expected {stated} rows, as listed in its footer, found {found}")]
    FewerRows { stated: u64, found: u64 },
    /// None of the columns that were asked for can be read.
    #[error("expected a column that can be read, found none")]
    NoColumn,
}

/// What the library found instead.
pub fn found(error: &ParquetError) -> Found {
    match (own(error), error) {
        (Some(own), _) => own,
        (None, ParquetError::NYI(_)) => Found::UnsupportedEncoding,
        (None, ParquetError::EOF(_) | ParquetError::NeedMoreData(_) | ParquetError::NeedMoreDataRange(_)) => Found::TruncatedBytes,
        _ => Found::InvalidBytes,
    }
}

/// Our own error, where the library only hands it on.
fn own(error: &ParquetError) -> Option<Found> {
    let ParquetError::External(inner) = error else { return None };
    match inner.downcast_ref::<InputError>() {
        Some(error) => Some(Found::Input(error.clone())),
        None => own(inner.downcast_ref::<std::io::Error>()?.get_ref()?.downcast_ref::<ParquetError>()?),
    }
}

fn of_input(error: &InputError) -> String {
    match error {
        InputError::BeyondEnd { offset, wanted, len, .. } => {
            format!("the end of the file at byte {len} instead of bytes {offset} to {}", offset.saturating_add(*wanted))
        }
        InputError::Unreadable { why, .. } => format!("a read error: {}", why.to_string().trim_end_matches('.')),
    }
}

/// What a column's values are packed by, as people call it; empty where they are not.
pub fn codec(compression: Compression) -> &'static str {
    match compression {
        Compression::UNCOMPRESSED => "",
        Compression::SNAPPY => "Snappy",
        Compression::GZIP(_) => "gzip",
        Compression::LZO => "LZO",
        Compression::BROTLI(_) => "Brotli",
        Compression::LZ4 | Compression::LZ4_RAW => "LZ4",
        Compression::ZSTD(_) => "zstd",
    }
}

/// Why the footer of a file could not be read. The message is the end of a sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FooterError {
    /// The file has fewer bytes than the shortest table.
    #[error("expected a Parquet file, found only {0} bytes")]
    TooShort(u64),
    /// Its last bytes could not be read.
    #[error("expected its last bytes, found {}", of_input(.0))]
    Unreadable(InputError),
    /// The footer would begin before the file.
    #[error("expected a footer of {n_bytes} bytes, as listed at its end, found a file of {len} bytes")]
    TooLong { n_bytes: u64, len: u64 },
    /// The footer is damaged.
    #[error("expected a footer of {n_bytes} bytes from byte {from} on, found {found}")]
    Damaged { n_bytes: u64, from: u64, found: InFooter },
    /// The table is encrypted.
    #[error("expected a plain table, found an encrypted one")]
    Encrypted,
    /// The file does not end as a table.
    #[error("expected `PAR1` as its last four bytes, from byte {from} on, found `{}`", .found.escape_ascii())]
    OtherEnd { from: u64, found: Vec<u8> },
}

/// What was found instead of a footer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InFooter {
    #[error(transparent)]
    Own(Found),
    #[error("a column with an invalid Parquet compression")]
    InvalidCompression,
    #[error("bytes that are not a footer")]
    OtherBytes,
}

/// Why the footer of `member` could not be read.
pub fn of_footer(member: &Member, error: &ParquetError) -> FooterError {
    let len = member.len();
    if len < 12 {
        return FooterError::TooShort(len);
    }
    let last = match member.read(len - 8, 8) {
        Ok(last) => last,
        Err(error) => return FooterError::Unreadable(error),
    };
    let (n, magic) = last.split_at(4);
    let n_bytes = n.first_chunk::<4>().map_or(0, |n| u64::from(u32::from_le_bytes(*n)));
    match magic {
        b"PAR1" if n_bytes + 12 > len => FooterError::TooLong { n_bytes, len },
        b"PAR1" => FooterError::Damaged { n_bytes, from: len - 8 - n_bytes, found: in_footer(error) },
        b"PARE" => FooterError::Encrypted,
        other => FooterError::OtherEnd { from: len - 4, found: other.to_vec() },
    }
}

fn in_footer(error: &ParquetError) -> InFooter {
    match own(error) {
        Some(found) => InFooter::Own(found),
        None if error.to_string().contains("ompression") => InFooter::InvalidCompression,
        None => InFooter::OtherBytes,
    }
}
