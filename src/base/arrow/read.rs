//! Reads a stream: what a query returns, with every column as one of four types.

use super::view::Table;
use super::{CONTINUATION, MAGIC, header, kind};

/// Values of a column; `None` is NULL.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Whole numbers of 32 or 64 bits.
    Ints(Vec<Option<i64>>),
    /// Single or double precision.
    Floats(Vec<Option<f64>>),
    /// True or false.
    Flags(Vec<Option<bool>>),
    /// Texts.
    Texts(Vec<Option<String>>),
    /// Texts that repeat: of each row its place in the list of distinct ones.
    Words(Vec<Option<u32>>, Vec<String>),
}

/// Rows of a stream.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Batch {
    /// Name and values of each column.
    pub columns: Vec<(String, Values)>,
    /// Rows.
    pub n_rows: usize,
}

/// Why the result of a query cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The bytes begin with no schema.
    #[error("The result of the query could not be read: expected a stream of Arrow.")]
    NoStream,
    /// A message has lengths or offsets outside its bytes, or comes where it may not.
    #[error("The result of the query could not be read: a message of the stream is damaged.")]
    Damaged,
    /// A column has a type that is not one of [`Values`].
    #[error("The column `{column}` of the result has a type that cannot be shown. Cast it to VARCHAR.")]
    ColumnType {
        /// Its name.
        column: String,
    },
}

/// A column of the schema.
struct Column {
    name: String,
    kind: Kind,
    /// Id of the dictionary that its values are positions in.
    dictionary: Option<i64>,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Int64,
    Int32,
    Float64,
    Float32,
    Bool,
    Utf8,
    Words,
}

/// Every row of a stream, also of one in a file. Fails where it is no stream, or has columns of other types.
pub fn read(mut bytes: &[u8]) -> Result<Batch, ReadError> {
    bytes = bytes.strip_prefix(MAGIC).unwrap_or(bytes);
    let mut schema: Option<Vec<Column>> = None;
    let mut out = Batch::default();
    // Ids of the dictionaries so far.
    let mut words: Vec<i64> = Vec::new();
    while let Some((head, rest)) = message(bytes) {
        let broken = || ReadError::Damaged;
        let root = Table::root(head).ok_or_else(broken)?;
        let n_body = usize::try_from(root.i64(3).unwrap_or(0)).map_err(|_| broken())?;
        let body = rest.get(..n_body).ok_or_else(broken)?;
        bytes = rest.get(n_body.next_multiple_of(8)..).unwrap_or(&[]);
        let of = root.table(2).ok_or_else(broken)?;
        match (root.u8(1), &schema) {
            (Some(header::SCHEMA), None) => {
                let columns = of.tables(1).ok_or_else(broken)?.iter().map(column).collect::<Result<Vec<_>, _>>()?;
                words.clear();
                out.columns = columns.iter().map(|c| (c.name.clone(), empty(c.kind))).collect();
                schema = Some(columns);
            }
            (Some(header::DICTIONARY), Some(columns)) => {
                let id = of.i64(0).unwrap_or(0);
                let mut texts = Batch { columns: vec![(String::new(), empty(Kind::Utf8))], n_rows: 0 };
                let column = [Column { name: String::new(), kind: Kind::Utf8, dictionary: None }];
                of.table(1).and_then(|of| append(&mut texts, &column, &of, body)).ok_or_else(broken)?;
                let Some((_, Values::Texts(found))) = texts.columns.pop() else { return Err(broken()) };
                // One dictionary a column: a second one would change the places of the rows before.
                if words.contains(&id) {
                    return Err(broken());
                }
                words.push(id);
                for (column, (_, values)) in columns.iter().zip(&mut out.columns) {
                    if let Values::Words(_, all) = values
                        && column.dictionary == Some(id)
                    {
                        *all = found.iter().map(|text| text.clone().unwrap_or_default()).collect();
                    }
                }
            }
            (Some(header::RECORDS), Some(columns)) => append(&mut out, columns, &of, body).ok_or_else(broken)?,
            _ => return Err(broken()),
        }
    }
    match schema {
        Some(_) => Ok(out),
        None => Err(ReadError::NoStream),
    }
}

/// Metadata of the next message, and what follows it; `None` at the end.
fn message(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let number = |at: usize| bytes.get(at..at + 4).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
    let (length, from) = if number(0)? == CONTINUATION { (number(4)?, 8) } else { (number(0)?, 4) };
    let end = from + length as usize;
    (length > 0).then(|| Some((bytes.get(from..end)?, bytes.get(end..)?))).flatten()
}

fn column(of: &Table<'_>) -> Result<Column, ReadError> {
    let name = of.text(0).unwrap_or_default().to_string();
    let table = of.table(3);
    let kind = match of.u8(2) {
        Some(kind::INT) => match table.and_then(|t| t.i32(0)) {
            Some(64) => Some(Kind::Int64),
            Some(32) => Some(Kind::Int32),
            _ => None,
        },
        // A precision of 2 is double, 1 single.
        Some(kind::FLOAT) => match table.and_then(|t| t.i16(0)) {
            Some(2) => Some(Kind::Float64),
            Some(1) => Some(Kind::Float32),
            _ => None,
        },
        Some(kind::UTF8) => Some(Kind::Utf8),
        Some(kind::BOOL) => Some(Kind::Bool),
        _ => None,
    };
    let Some(encoding) = of.table(4) else {
        return kind.map(|kind| Column { name: name.clone(), kind, dictionary: None }).ok_or_else(|| unknown(&name));
    };
    let is_of_texts = kind == Some(Kind::Utf8) && encoding.table(1).is_none_or(|index| index.i32(0) == Some(32));
    match is_of_texts {
        true => Ok(Column { name, kind: Kind::Words, dictionary: Some(encoding.i64(0).unwrap_or(0)) }),
        false => Err(unknown(&name)),
    }
}

fn unknown(column: &str) -> ReadError {
    ReadError::ColumnType { column: column.into() }
}

fn empty(kind: Kind) -> Values {
    match kind {
        Kind::Int64 | Kind::Int32 => Values::Ints(Vec::new()),
        Kind::Float64 | Kind::Float32 => Values::Floats(Vec::new()),
        Kind::Bool => Values::Flags(Vec::new()),
        Kind::Utf8 => Values::Texts(Vec::new()),
        Kind::Words => Values::Words(Vec::new(), Vec::new()),
    }
}

/// Adds the rows of a batch; `None` where a buffer is outside its body.
fn append(out: &mut Batch, columns: &[Column], of: &Table<'_>, body: &[u8]) -> Option<()> {
    let n_rows = usize::try_from(of.i64(0)?).ok()?;
    let (nodes, buffers) = (of.pairs(1)?, of.pairs(2)?);
    let mut places = buffers.iter();
    let mut buffer = || {
        let [at, n] = *places.next()?;
        let (at, n) = (usize::try_from(at).ok()?, usize::try_from(n).ok()?);
        body.get(at..at.checked_add(n)?)
    };
    for ((column, node), (_, all)) in columns.iter().zip(&nodes).zip(&mut out.columns) {
        if usize::try_from(node[0]).ok()? != n_rows {
            return None;
        }
        let valid = buffer()?;
        // Where nothing is NULL, the bits may be omitted.
        let is_set = |i: usize| valid.is_empty() || bit(valid, i);
        if !valid.is_empty() && valid.len() < n_rows.div_ceil(8) {
            return None;
        }
        let values = buffer()?;
        match (column.kind, all) {
            (Kind::Int64, Values::Ints(all)) => fixed(all, values, n_rows, is_set, i64::from_le_bytes)?,
            (Kind::Int32, Values::Ints(all)) => fixed(all, values, n_rows, is_set, |b| i64::from(i32::from_le_bytes(b)))?,
            (Kind::Float64, Values::Floats(all)) => fixed(all, values, n_rows, is_set, f64::from_le_bytes)?,
            (Kind::Float32, Values::Floats(all)) => fixed(all, values, n_rows, is_set, |b| f64::from(f32::from_le_bytes(b)))?,
            (Kind::Bool, Values::Flags(all)) => {
                if values.len() < n_rows.div_ceil(8) {
                    return None;
                }
                all.extend((0..n_rows).map(|i| is_set(i).then(|| bit(values, i))));
            }
            (Kind::Words, Values::Words(all, words)) => {
                let from = all.len();
                fixed(all, values, n_rows, is_set, u32::from_le_bytes)?;
                if all[from..].iter().flatten().any(|code| *code as usize >= words.len()) {
                    return None;
                }
            }
            (Kind::Utf8, Values::Texts(all)) => texts(all, (values, buffer()?), n_rows, is_set)?,
            _ => return None,
        }
    }
    out.n_rows = out.n_rows.checked_add(n_rows)?;
    (nodes.len() >= columns.len()).then_some(())
}

fn bit(bits: &[u8], i: usize) -> bool {
    bits.get(i / 8).is_some_and(|byte| byte >> (i % 8) & 1 == 1)
}

fn fixed<const N: usize, T>(
    all: &mut Vec<Option<T>>,
    bytes: &[u8],
    n_rows: usize,
    is_set: impl Fn(usize) -> bool,
    of: impl Fn([u8; N]) -> T,
) -> Option<()> {
    let bytes = bytes.get(..n_rows.checked_mul(N)?)?;
    let value = |(i, b): (usize, &[u8])| b.try_into().ok().filter(|_| is_set(i)).map(&of);
    all.extend(bytes.chunks_exact(N).enumerate().map(value));
    Some(())
}

fn texts(all: &mut Vec<Option<String>>, (ends, bytes): (&[u8], &[u8]), n_rows: usize, is_set: impl Fn(usize) -> bool) -> Option<()> {
    if n_rows == 0 {
        return Some(());
    }
    let end =
        |i: usize| ends.get(4 * i..4 * i + 4).and_then(|b| b.try_into().ok()).and_then(|b| usize::try_from(i32::from_le_bytes(b)).ok());
    ends.get(..n_rows.checked_add(1)?.checked_mul(4)?)?;
    for i in 0..n_rows {
        let text = bytes.get(end(i)?..end(i + 1)?)?;
        all.push(is_set(i).then(|| String::from_utf8_lossy(text).into_owned()));
    }
    Some(())
}
