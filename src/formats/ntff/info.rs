//! The message at the head of an NTFF: what was run, where, and where the records stand.

use super::proto::{Message, Value};
use crate::base::Member;
use crate::formats::ImportError;
use crate::formats::file_name::file_name;
use std::rc::Rc;

/// Where the message begins: the header before it has a version, a length, and bytes without meaning.
pub(super) const HEADER: u64 = 128;
/// Longest message that is read.
const MAX_INFO: u64 = 512 << 20;
/// The versions whose records are known.
pub(super) const VERSIONS: std::ops::RangeInclusive<u8> = 4..=6;

/// A range of the raw area, by file offset.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Span {
    pub offset: u64,
    pub n_bytes: u64,
}

/// Loaded instructions of one engine.
#[derive(Debug, Clone, Default)]
pub(super) struct Image {
    pub engine: u64,
    /// Device address of the first word.
    pub address: u64,
    pub span: Span,
    /// Versions 4 and 5 hold the words in the message.
    pub inline: Vec<u8>,
}

/// Changes that the loader made to the compiler's instructions.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Patch {
    pub engine: u64,
    pub offset: u64,
    pub n_inserted: u64,
    pub n_removed: u64,
}

/// Where records of one kind stand.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Region {
    pub trace: u64,
    pub block: u64,
    pub index: u64,
    pub span: Span,
    pub nc: u64,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Queue {
    pub engine: u64,
    pub index: u64,
    pub purpose: u64,
    pub name: String,
    pub event: i64,
    pub channel: u64,
}

/// What ran on one physical core.
#[derive(Debug, Clone, Default)]
pub(super) struct Subgraph {
    pub name: String,
    pub nc: u64,
    pub images: Vec<Image>,
    pub patches: Vec<Patch>,
    pub queues: Vec<Queue>,
    pub memory: Vec<(String, u64)>,
    pub duration_ps: u64,
}

/// The message.
#[derive(Debug, Clone, Default)]
pub(super) struct Info {
    pub version: u8,
    pub neff_name: String,
    pub uuid: Vec<u8>,
    pub instance_type: String,
    /// Hardware generation as the file numbers it: 1 is trn1, 2 is trn2; 0 where it is not stored.
    pub architecture: u64,
    pub instance_id: String,
    pub model_id: u64,
    pub runtime: String,
    pub driver: String,
    pub collectives: String,
    pub captured_at: u64,
    /// Execution window, picoseconds on the device clock.
    pub window: Option<(u64, u64)>,
    pub subgraphs: Vec<Rc<Subgraph>>,
    pub regions: Vec<Region>,
    /// File offset of the raw area.
    pub raw: u64,
    /// The message stops making sense this many bytes before its end.
    pub n_unread: usize,
}

/// The uuid and NEFF name in the head of an NTFF; `None` when it is none.
pub(super) fn sniff(head: &[u8]) -> Option<(u8, Vec<u8>)> {
    let version = *head.first().filter(|v| (1..=16).contains(*v))?;
    let n = super::proto::little_endian(head.get(1..9)?);
    let message = head.get(HEADER as usize..)?;
    let (number, name) = Message::new(message).next()?;
    if n == 0 || n > 1 << 40 || number != 1 || !name.bytes().ends_with(b".neff") {
        return None;
    }
    let message = &message[..message.len().min(usize::try_from(n).ok()?)];
    Some((version, uuid(Message::field(message, 2))))
}

/// The first 16 bytes; what follows them has no meaning.
fn uuid(value: Value<'_>) -> Vec<u8> {
    value.bytes().get(..16).map(<[u8]>::to_vec).unwrap_or_default()
}

/// Checks the header of `name` and returns the message's length. `len` is the file's.
pub(super) fn message_len(name: &str, len: u64, header: &[u8]) -> Result<u64, ImportError> {
    if header.is_empty() {
        return Err(ImportError::Invalid(format!(
            "`{name}` is empty: profiling was on, but nothing was captured. Run the model during the capture."
        )));
    }
    let version = header[0];
    if !VERSIONS.contains(&version) && (header.len() as u64) < HEADER {
        return Err(ImportError::Invalid(format!(
            "Expected a Neuron trace with a header of {HEADER} bytes, found {} in `{name}` that do not start like one. Copy or capture it again.",
            crate::base::text::counted(len, "byte")
        )));
    }
    if !VERSIONS.contains(&version) {
        return Err(ImportError::Unsupported(format!(
            "Expected Neuron trace version {}–{}, found {version} in `{name}`. Convert it with `neuron-profile view -n <model.neff> -s {name} \
             --output-format json`.",
            VERSIONS.start(),
            VERSIONS.end()
        )));
    }
    let n = header.get(1..9).map_or(0, super::proto::little_endian);
    if (header.len() as u64) < HEADER {
        return Err(ImportError::Invalid(format!("Expected a header of {HEADER} bytes, found the end of `{name}` at byte {len}.")));
    }
    if HEADER.checked_add(n).is_none_or(|end| end > len) {
        return Err(ImportError::Invalid(format!(
            "Expected {n} bytes of description at byte {HEADER}, found the end of `{name}` at byte {len}. The file is truncated."
        )));
    }
    if n == 0 || n > MAX_INFO {
        return Err(ImportError::Unsupported(format!("Expected a description of 1 to {MAX_INFO} bytes, found {n} at byte 1 of `{name}`.")));
    }
    Ok(n)
}

/// Reads the message. `version` is the header's.
pub(super) fn read(version: u8, message: &[u8]) -> Info {
    let raw = HEADER + message.len() as u64;
    let mut info = Info { version, raw, ..Info::default() };
    let mut fields = Message::new(message);
    for (number, value) in &mut fields {
        match number {
            1 => info.neff_name = value.text(),
            2 => info.uuid = uuid(value),
            3 => info.model_id = value.number(),
            4 => {
                for (_, node) in Message::new(value.bytes()).filter(|f| f.0 == 4) {
                    for (_, subgraph) in Message::new(node.bytes()).filter(|f| f.0 == 1) {
                        read_subgraph(&mut info, subgraph.bytes());
                    }
                }
            }
            5 => info.architecture = value.number(),
            7 => info.captured_at = value.number(),
            8 => info.runtime = version_text(value.bytes()),
            9 => info.instance_type = value.text(),
            11 => info.driver = version_text(value.bytes()),
            12 => info.collectives = version_text(value.bytes()),
            15 => {
                let bound = |n| Message::field(value.bytes(), n).number();
                let window = (bound(2), bound(3));
                info.window = Some(window).filter(|w| w.0 < w.1).or(info.window);
            }
            16 => info.regions.push(read_region(raw, value.bytes(), None)),
            17 => info.instance_id = value.text(),
            _ => (),
        }
    }
    info.n_unread = if fields.is_broken() { fields.n_left().max(1) } else { 0 };
    info
}

fn version_text(bytes: &[u8]) -> String {
    let part = |n| Message::field(bytes, n).number();
    let hash: String = Message::field(bytes, 5).text().chars().take(5).collect();
    let hash = if hash.is_empty() { hash } else { format!(" ({hash})") };
    format!("{}.{}.{}{hash}", part(1), part(2), part(3))
}

fn read_subgraph(info: &mut Info, bytes: &[u8]) {
    let mut out = Subgraph::default();
    let mut regions = Vec::new();
    for (number, value) in Message::new(bytes) {
        match number {
            1 => out.name = value.text(),
            3 => out.nc = value.number(),
            4 => out.images.push(read_image(info.raw, value.bytes())),
            5 => read_patches(&mut out.patches, value.bytes()),
            6 => regions.push(value.bytes()),
            7 => out.queues.push(read_queue(value.bytes())),
            11 => {
                let kind = Message::field(value.bytes(), 3).text();
                let kind = if kind.is_empty() { format!("kind {}", Message::field(value.bytes(), 1).number()) } else { kind };
                out.memory.push((kind, Message::field(value.bytes(), 2).number()));
            }
            14 => out.duration_ps = value.number(),
            _ => (),
        }
    }
    info.regions.extend(regions.into_iter().map(|bytes| read_region(info.raw, bytes, Some(out.nc))));
    info.subgraphs.push(Rc::new(out));
}

fn read_image(raw: u64, bytes: &[u8]) -> Image {
    let mut out = Image::default();
    let (mut offset, mut n_bytes) = (0, 0);
    for (number, value) in Message::new(bytes) {
        match number {
            1 => out.engine = value.number(),
            2 => out.address = value.number(),
            3 => out.inline = value.bytes().to_vec(),
            7 => offset = value.number(),
            8 => n_bytes = value.number(),
            _ => (),
        }
    }
    out.span = Span { offset: raw.saturating_add(offset), n_bytes };
    out
}

fn read_patches(out: &mut Vec<Patch>, bytes: &[u8]) {
    let engine = Message::field(bytes, 1).number();
    for (_, value) in Message::new(bytes).filter(|f| f.0 == 2) {
        let part = |n| Message::field(value.bytes(), n).number();
        out.push(Patch { engine, offset: part(1), n_inserted: part(2), n_removed: part(3) });
    }
}

fn read_queue(bytes: &[u8]) -> Queue {
    let mut out = Queue::default();
    for (number, value) in Message::new(bytes) {
        match number {
            1 => out.engine = value.number(),
            2 => out.index = value.number(),
            3 => out.purpose = value.number(),
            4 => out.name = value.text(),
            5 => out.event = value.number() as i64,
            7 => out.channel = value.number(),
            _ => (),
        }
    }
    out
}

fn read_region(raw: u64, bytes: &[u8], nc: Option<u64>) -> Region {
    let mut out = Region { nc: nc.unwrap_or(0), ..Region::default() };
    for (number, value) in Message::new(bytes) {
        match number {
            1 => out.trace = value.number(),
            3 => out.block = value.number(),
            4 => out.index = value.number(),
            5 => out.span.offset = value.number(),
            6 => out.span.n_bytes = value.number(),
            7 if nc.is_none() => out.nc = value.number(),
            _ => (),
        }
    }
    out.span.offset = raw.saturating_add(out.span.offset);
    out
}

/// More physical cores than any trace has.
const MAX_SUBGRAPHS: usize = 256;

/// The description at the head of a trace.
pub(super) fn read_info(member: &Member) -> Result<Info, ImportError> {
    let name = file_name(&member.name);
    let header = member.read_up_to(0, HEADER)?;
    let n = message_len(name, member.len(), &header)?;
    let info = read(header[0], &member.read(HEADER, n)?);
    if info.subgraphs.len() > MAX_SUBGRAPHS {
        let found = info.subgraphs.len();
        return Err(ImportError::Unsupported(format!("Expected at most {MAX_SUBGRAPHS} subgraphs, found {found} in `{name}`.")));
    }
    Ok(info)
}
