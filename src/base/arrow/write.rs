//! Writes a stream of one batch.

use super::array::{Array, Type};
use super::message::{Field, message};
use super::{CONTINUATION, VERSION, header, kind};

/// A stream with these columns: the schema, a dictionary for each column that has one, one batch, the end. Columns have `n_rows` rows.
pub fn stream(columns: &[(&str, Array)], n_rows: usize) -> Vec<u8> {
    let n_bytes: usize = columns.iter().flat_map(|c| &c.1.buffers).map(|b| b.len() + 8).sum();
    let mut out = Vec::with_capacity(n_bytes + 1024 + 256 * columns.len());
    let fields = columns.iter().enumerate().map(|(id, (name, array))| field(name, array, id)).collect();
    append(&mut out, header::SCHEMA, vec![Field::I16(0), Field::Tables(fields)], &[]);
    for (id, (_, array)) in columns.iter().enumerate() {
        if let Some(words) = &array.words {
            let header = vec![Field::I64(id as i64), Field::Table(records(&[words], words.n_rows))];
            append(&mut out, header::DICTIONARY, header, &[words]);
        }
    }
    let arrays: Vec<&Array> = columns.iter().map(|c| &c.1).collect();
    append(&mut out, header::RECORDS, records(&arrays, n_rows), &arrays);
    out.extend_from_slice(&CONTINUATION.to_le_bytes());
    out.extend_from_slice(&[0; 4]);
    out
}

/// Bytes of a buffer with its padding.
fn padded(buffer: &[u8]) -> usize {
    buffer.len().next_multiple_of(8)
}

/// The table `RecordBatch`: length, nodes, buffers.
fn records(arrays: &[&Array], n_rows: usize) -> Vec<Field> {
    let nodes = arrays.iter().map(|a| [a.n_rows as i64, a.n_null as i64]).collect();
    let mut at = 0;
    let mut place = |buffer: &Vec<u8>| {
        let from = at;
        at += padded(buffer);
        [from as i64, buffer.len() as i64]
    };
    let buffers = arrays.iter().flat_map(|a| &a.buffers).map(&mut place).collect();
    vec![Field::I64(n_rows as i64), Field::Pairs(nodes), Field::Pairs(buffers)]
}

/// The table `Field`: name, nullable, type, dictionary, children.
fn field(name: &str, array: &Array, id: usize) -> Vec<Field> {
    let int = |bits: i32| vec![Field::I32(bits), Field::U8(1)];
    let (of, table) = match array.kind {
        Type::Int64 => (kind::INT, int(64)),
        Type::Int32 => (kind::INT, int(32)),
        Type::Float64 => (kind::FLOAT, vec![Field::I16(2)]),
        Type::Float32 => (kind::FLOAT, vec![Field::I16(1)]),
        Type::Bool => (kind::BOOL, Vec::new()),
        Type::Utf8 | Type::Dictionary => (kind::UTF8, Vec::new()),
    };
    let dictionary = match array.kind {
        Type::Dictionary => Field::Table(vec![Field::I64(id as i64), Field::Table(int(32)), Field::U8(0)]),
        _ => Field::Unset,
    };
    vec![Field::Text(name.into()), Field::U8(1), Field::U8(of), Field::Table(table), dictionary, Field::Tables(Vec::new())]
}

/// Appends a message and its body.
fn append(out: &mut Vec<u8>, kind: u8, of: Vec<Field>, arrays: &[&Array]) {
    let buffers = || arrays.iter().flat_map(|a| &a.buffers);
    let n_body: usize = buffers().map(|b| padded(b)).sum();
    let head = message(&[Field::I16(VERSION), Field::U8(kind), Field::Table(of), Field::I64(n_body as i64)]);
    out.extend_from_slice(&CONTINUATION.to_le_bytes());
    out.extend_from_slice(&(head.len() as u32).to_le_bytes());
    out.extend_from_slice(&head);
    for buffer in buffers() {
        out.extend_from_slice(buffer);
        out.resize(out.len() + padded(buffer) - buffer.len(), 0);
    }
}
