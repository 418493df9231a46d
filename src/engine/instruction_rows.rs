//! Executed instructions with operands and counters, under the keys of neuron-profile's JSON, whichever format they came from.

use super::{Refusal, Session, record_fields};
use crate::base::SliceId;
use crate::model::{Domain, NeuronDevice, TrackKind};
use serde::Serialize;

/// Instructions of one part: fields of each are read back from the file.
const PART: usize = 65_536;

/// An executed instruction. Times are nanoseconds from the start of the execution window; what the file does not record is absent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct InstructionRow {
    /// The part of the model that a physical core runs.
    pub subgraph: String,
    /// Engine.
    pub subgroup: String,
    /// Name of the opcode.
    pub opcode: String,
    /// Program counter in the loaded image.
    pub pc: u32,
    /// Start.
    pub timestamp: i64,
    /// Nanoseconds.
    pub duration: i64,
    /// Operands as neuron-profile prints them.
    pub operands: String,
    /// Elements of a matrix product.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elements: Option<u64>,
    /// Bytes read from the State Buffer: of each partition, of transfers in total.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sbuf_read_bytes: Option<u64>,
    /// Bytes written to the State Buffer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sbuf_write_bytes: Option<u64>,
    /// Bytes read from each partition of PSUM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub psum_read_bytes: Option<u64>,
    /// Bytes written to each partition of PSUM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub psum_write_bytes: Option<u64>,
    /// Bytes read from HBM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hbm_read_bytes: Option<u64>,
    /// Bytes written to HBM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hbm_write_bytes: Option<u64>,
    /// Activation function; empty where it applies none.
    pub activation_fn: String,
    /// `REGULAR` or `TRANSPOSE`; empty for instructions of the runtime.
    pub instruction_type: String,
}

/// Fields that are read back from the file: of each the names that formats give it.
const IN_FILE: [&[&str]; 10] = [
    &["subgraph", "fully_qualified_subgraph"],
    &["operands"],
    &["elements", "tensor_elements"],
    &["sbuf_read_bytes"],
    &["sbuf_write_bytes"],
    &["psum_read_bytes"],
    &["psum_write_bytes"],
    &["hbm_read_bytes"],
    &["hbm_write_bytes"],
    &["activation_fn", "scalar_activation_fn"],
];

impl Session {
    /// Instructions in the order of the file, from rank `from` on, and where the next part begins.
    pub fn instruction_rows(&self, from: usize) -> Result<(Vec<InstructionRow>, Option<usize>), Refusal> {
        let profile = &self.profile;
        let Domain::NeuronDevice(device) = &profile.domain else {
            return Err(Refusal::OtherKind("a Neuron device profile"));
        };
        let format = self.format()?;
        let order = self.in_file_order(TrackKind::Engine);
        let end = from.saturating_add(PART).min(order.len());
        let is_instruction = |slice: &SliceId| device.pc.at(slice.index()).is_some_and(|pc| pc != NeuronDevice::ABSENT);
        let slices: Vec<SliceId> = order[from.min(end)..end].iter().copied().filter(is_instruction).collect();
        let fields = record_fields::fields(format, &self.input, profile, &slices, &IN_FILE)?;
        let attribute = |id: &str, slice: SliceId| {
            let value = profile.attribute(id).and_then(|a| a.values.at(slice.index())).unwrap_or_default();
            profile.strings.get(value).to_string()
        };
        let row = |(&slice, fields): (&SliceId, Vec<String>)| {
            let mut fields = fields.into_iter();
            let mut text = || fields.next().unwrap_or_default();
            let (subgraph, operands) = (text(), text());
            let mut number = || text().parse::<u64>().ok();
            InstructionRow {
                subgraph: subgraph.trim_start_matches('/').into(),
                subgroup: attribute("engine", slice),
                opcode: attribute("opcode", slice),
                pc: device.pc.at(slice.index()).unwrap_or(NeuronDevice::ABSENT),
                timestamp: profile.slices.start[slice.index()],
                duration: profile.slices.duration[slice.index()],
                operands,
                elements: number(),
                sbuf_read_bytes: number(),
                sbuf_write_bytes: number(),
                psum_read_bytes: number(),
                psum_write_bytes: number(),
                hbm_read_bytes: number(),
                hbm_write_bytes: number(),
                activation_fn: text(),
                instruction_type: attribute("instruction_type", slice),
            }
        };
        Ok((slices.iter().zip(fields).map(row).collect(), (end < order.len()).then_some(end)))
    }
}
