//! Writes the metadata of a message: tables of FlatBuffers, each before what it refers to.
//! <https://flatbuffers.dev/internals/>

/// A field of a table.
pub(super) enum Field {
    /// Not set: its default.
    Unset,
    U8(u8),
    I16(i16),
    I32(i32),
    I64(i64),
    Text(String),
    Table(Vec<Field>),
    Tables(Vec<Vec<Field>>),
    /// Structs of two numbers: nodes, and places of buffers.
    Pairs(Vec<[i64; 2]>),
}

impl Field {
    /// Bytes within the table; references have 4.
    fn size(&self) -> usize {
        match self {
            Field::Unset => 0,
            Field::U8(_) => 1,
            Field::I16(_) => 2,
            Field::I64(_) => 8,
            _ => 4,
        }
    }
}

/// A message with this root table.
pub(super) fn message(root: &[Field]) -> Vec<u8> {
    let mut out = vec![0; 4];
    let at = table(&mut out, root);
    refer(&mut out, 0, at);
    align(&mut out, 8);
    out
}

fn align(out: &mut Vec<u8>, to: usize) {
    out.resize(out.len().next_multiple_of(to), 0);
}

fn put(out: &mut [u8], at: usize, bytes: &[u8]) {
    out[at..at + bytes.len()].copy_from_slice(bytes);
}

/// Writes at `slot` how far away `target` is.
fn refer(out: &mut [u8], slot: usize, target: usize) {
    put(out, slot, &((target - slot) as u32).to_le_bytes());
}

/// Appends a table and all that it refers to; where it begins.
fn table(out: &mut Vec<u8>, fields: &[Field]) -> usize {
    // Sizes and places of the fields, then the table: the distance back to them, and the fields, each aligned to its size.
    let mut size: usize = 4;
    let mut places = Vec::with_capacity(fields.len());
    for field in fields {
        let n = field.size();
        if n == 0 {
            places.push(0);
            continue;
        }
        size = size.next_multiple_of(n);
        places.push(size);
        size += n;
    }
    align(out, 2);
    let sizes_at = out.len();
    for n in [4 + 2 * fields.len(), size].iter().chain(&places) {
        out.extend_from_slice(&(*n as u16).to_le_bytes());
    }
    align(out, 8);
    let at = out.len();
    out.resize(at + size, 0);
    put(out, at, &((at - sizes_at) as i32).to_le_bytes());
    for (field, place) in fields.iter().zip(places) {
        let slot = at + place;
        match field {
            Field::Unset => {}
            Field::U8(n) => put(out, slot, &[*n]),
            Field::I16(n) => put(out, slot, &n.to_le_bytes()),
            Field::I32(n) => put(out, slot, &n.to_le_bytes()),
            Field::I64(n) => put(out, slot, &n.to_le_bytes()),
            Field::Text(text) => {
                vector(out, slot, text.len(), 4);
                out.extend_from_slice(text.as_bytes());
                out.push(0);
            }
            Field::Table(fields) => {
                let target = table(out, fields);
                refer(out, slot, target);
            }
            Field::Tables(all) => {
                let first = vector(out, slot, all.len(), 4);
                out.resize(first + 4 * all.len(), 0);
                for (i, fields) in all.iter().enumerate() {
                    let target = table(out, fields);
                    refer(out, first + 4 * i, target);
                }
            }
            Field::Pairs(pairs) => {
                vector(out, slot, pairs.len(), 8);
                pairs.iter().flatten().for_each(|n| out.extend_from_slice(&n.to_le_bytes()));
            }
        }
    }
    at
}

/// Appends the length of a vector with elements aligned to `to`, and refers to it; where its elements begin.
fn vector(out: &mut Vec<u8>, slot: usize, len: usize, to: usize) -> usize {
    while !(out.len() + 4).is_multiple_of(to) || !out.len().is_multiple_of(4) {
        out.push(0);
    }
    let at = out.len();
    refer(out, slot, at);
    out.extend_from_slice(&(len as u32).to_le_bytes());
    out.len()
}
