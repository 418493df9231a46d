//! The bytes of a run summary.

use crate::formats::ImportError;
use crate::model::fleet::{FleetRun, N_METRICS, SCHEMA_VERSION};
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use std::io::{Read, Write};

/// The first bytes.
pub const MAGIC: &[u8] = b"AXONRUN\n";
/// Magic, version, number of sections.
const HEAD: usize = 16;
/// Length of a section when unpacked, and in the file.
const ENTRY: usize = 16;
/// A section does not unpack to more: 4 bytes for each of a billion cells.
const SECTION_MAX: u64 = 1 << 31;

fn invalid(name: &str, what: &str) -> ImportError {
    ImportError::Invalid(format!("`{name}`: {what}"))
}

/// The file of a run. Equal runs give equal bytes.
pub fn encode(run: &FleetRun) -> std::io::Result<Vec<u8>> {
    let mut sections = vec![postcard::to_stdvec(run).map_err(std::io::Error::other)?];
    for metric in 0..N_METRICS {
        sections.push(cells(run, metric));
    }
    let (mut table, mut body) = (Vec::new(), Vec::new());
    for section in &sections {
        let mut packed = DeflateEncoder::new(Vec::new(), Compression::new(6));
        packed.write_all(section)?;
        let packed = packed.finish()?;
        table.extend((section.len() as u64).to_le_bytes());
        table.extend((packed.len() as u64).to_le_bytes());
        body.extend(packed);
    }
    let mut out = MAGIC.to_vec();
    out.extend(SCHEMA_VERSION.to_le_bytes());
    out.extend((sections.len() as u32).to_le_bytes());
    out.extend(table);
    out.extend(body);
    Ok(out)
}

/// The cells of a metric: the lower bytes of all, then the higher, which are nearly alike.
fn cells(run: &FleetRun, metric: usize) -> Vec<u8> {
    let of = |shift: u32| {
        run.traces.iter().flat_map(move |t| {
            let n = t.steps.len();
            t.cells.get(metric * n..(metric + 1) * n).unwrap_or(&[]).iter().map(move |c| (c >> shift) as u8)
        })
    };
    of(0).chain(of(8)).collect()
}

/// Reads a run; `read` gives bytes at an offset. Checks every length before it is used.
pub fn decode(read: &dyn Fn(u64, u64) -> Result<Vec<u8>, ImportError>, len: u64, name: &str) -> Result<FleetRun, ImportError> {
    if len < HEAD as u64 {
        return Err(invalid(name, "expected a run summary, found a file that ends in its head."));
    }
    let head = read(0, HEAD as u64)?;
    let number = |at: usize| head.get(at..at + 4).and_then(|b| b.try_into().ok()).map_or(0, u32::from_le_bytes);
    if !head.starts_with(MAGIC) {
        return Err(invalid(name, "expected a run summary, found other first bytes."));
    }
    if number(8) != SCHEMA_VERSION {
        let found = number(8);
        return Err(ImportError::Unsupported(format!(
            "`{name}`: expected version {SCHEMA_VERSION} of a run summary, found version {found}. Merge the parts again with this version of axonscope."
        )));
    }
    let n_sections = number(12) as usize;
    if n_sections != N_METRICS + 1 {
        return Err(invalid(name, &format!("expected {} sections, found {n_sections}.", N_METRICS + 1)));
    }
    let begin = (HEAD + n_sections * ENTRY) as u64;
    if len < begin {
        return Err(invalid(name, "expected a table of sections, found the end of the file."));
    }
    let table = read(HEAD as u64, (n_sections * ENTRY) as u64)?;
    let mut at = begin;
    let mut section = |i: usize| -> Result<Vec<u8>, ImportError> {
        let number = |at: usize| table.get(at..at + 8).and_then(|b| b.try_into().ok()).map_or(0, u64::from_le_bytes);
        let (unpacked, packed) = (number(i * ENTRY), number(i * ENTRY + 8));
        let end = at.checked_add(packed).filter(|end| *end <= len && unpacked <= SECTION_MAX);
        let Some(end) = end else {
            return Err(invalid(name, &format!("expected {packed} bytes of section {i}, found the end of the file: it is truncated.")));
        };
        let bytes = read(at, packed)?;
        at = end;
        // One byte more than stated shows that the statement is wrong.
        let mut out = Vec::new();
        let read = DeflateDecoder::new(bytes.as_slice()).take(unpacked + 1).read_to_end(&mut out);
        match read {
            Ok(n) if n as u64 == unpacked => Ok(out),
            _ => Err(invalid(name, &format!("section {i} is damaged: expected {unpacked} bytes when unpacked."))),
        }
    };
    let first = section(0)?;
    let mut run: FleetRun =
        postcard::from_bytes(&first).map_err(|_| invalid(name, "section 0 is damaged: expected the tables of a run."))?;
    let n_texts = run.texts.len() as u32;
    if run.collectives.iter().any(|c| c.group >= n_texts || c.op >= n_texts) {
        return Err(invalid(name, "section 0 is damaged: a collective names a group that is not there."));
    }
    let n_cells: usize = run.traces.iter().map(|t| t.steps.len()).sum();
    for metric in 0..N_METRICS {
        let bytes = section(metric + 1)?;
        if bytes.len() != n_cells * 2 {
            return Err(invalid(name, &format!("section {} is damaged: expected {n_cells} cells.", metric + 1)));
        }
        let (low, high) = bytes.split_at(n_cells);
        let mut from = 0;
        for trace in &mut run.traces {
            let to = from + trace.steps.len();
            trace.cells.extend(low[from..to].iter().zip(&high[from..to]).map(|(l, h)| u16::from_le_bytes([*l, *h])));
            from = to;
        }
    }
    Ok(run)
}
