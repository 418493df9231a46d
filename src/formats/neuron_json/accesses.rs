//! Places in memory that the text of an instruction's operands names.
//!
//! `src=fp32@0x36500[1,0,0][512,1,1]` is a tensor of the State Buffer or of PSUM: type, byte within the partition, steps and counts in elements.
//! `src_addr_imm=…` and `src_table_index=…` are ends of a DMA transfer, whose steps are in bytes.

use crate::model::accesses::{Access, AccessKind, Memory, N_PARTITIONS};

/// First address of PSUM, and the first beyond it.
const PSUM: (u64, u64) = (0x200_0000, 0x400_0000);
/// Device addresses of the State Buffer, in bits 32 and up: verified on physical core 4 of trn2 only. Addresses of other cores count as device memory.
const STATE_BUFFER_WINDOW: u64 = 0x8020;
/// Device addresses from a partition of the State Buffer to the next.
const PARTITION_STEP: u64 = 0x4_0000;
/// Bytes of an element of a product in PSUM, for which no type is written.
const ACCUMULATED_BYTES: u64 = 4;
/// Words `key=value` of one instruction that are looked at.
const MOST_PAIRS: usize = 32;
/// Operands that are read, in the order in which they are written.
const SOURCES: [&str; 4] = ["src", "src0", "src1", "src2"];

/// Every place that `operands` read or write; places of unknown types are omitted.
pub(crate) fn accesses(operands: &str) -> Vec<Access> {
    let mut out = Vec::new();
    if !operands.contains("0x") && !operands.contains("_table_index") {
        return out;
    }
    let mut pairs: [(&str, &str); MOST_PAIRS] = [("", ""); MOST_PAIRS];
    let (mut n_pairs, mut last) = (0, "");
    for word in operands.split_ascii_whitespace() {
        last = word;
        if let Some(pair) = word.split_once('=').filter(|_| n_pairs < MOST_PAIRS) {
            pairs[n_pairs] = pair;
            n_pairs += 1;
        }
    }
    let value = |key: &str| pairs[..n_pairs].iter().find(|pair| pair.0 == key).map(|pair| pair.1);
    let held = last.split_once('*');
    let held: Option<(u16, u16)> = held.and_then(|(rows, columns)| Some((rows.parse().ok()?, columns.parse().ok()?)));
    let channels: Option<u16> = value("channels").and_then(|n| n.parse().ok());
    let rows = held.map(|h| h.0).or(channels);
    // A product adds to what is there unless it is the first of its group: bit 0 of the flags.
    let is_first = value("acc_flags").and_then(|n| n.parse::<u8>().ok()).is_none_or(|flags| flags & 1 == 1);
    for source in SOURCES.iter().filter_map(|key| value(key)) {
        out.extend(tensor(source, AccessKind::Read, rows));
    }
    if let Some(bias) = value("bias_ptr") {
        out.extend(pointer(bias.split_once('@').map_or(bias, |b| b.1), rows));
    }
    if value("imm_src").is_some_and(|sources| sources.starts_with("PTR")) {
        out.extend(value("imm").and_then(|imm| pointer(imm.split(',').next().unwrap_or_default(), rows)));
    }
    if let Some(destination) = value("dst") {
        let kind = if is_first { AccessKind::Write } else { AccessKind::Accumulate };
        // The columns of the matrix that is held become partitions of the product.
        out.extend(tensor(destination, kind, held.map(|h| h.1).or(channels)));
    }
    if value("src_elem_size").is_some() {
        out.extend(transfer(&value, "src", AccessKind::Read));
        out.extend(transfer(&value, "dst", AccessKind::Write));
    }
    out
}

fn hex(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}

/// `[1,0,0][512,1,1]` → (step, count) of each dimension.
fn dimensions(text: &str) -> Option<Vec<(i64, u64)>> {
    let (steps, counts) = text.strip_prefix('[')?.strip_suffix(']')?.split_once("][")?;
    let counts: Option<Vec<u64>> = counts.split(',').map(|n| n.parse().ok()).collect();
    let steps: Option<Vec<i64>> = steps.split(',').map(|n| n.parse().ok()).collect();
    let (steps, counts) = (steps?, counts?);
    (steps.len() == counts.len()).then(|| steps.into_iter().zip(counts).collect())
}

fn element_bytes(dtype: &str) -> Option<u64> {
    let lower = dtype.to_ascii_lowercase();
    match lower.as_str() {
        "fp32" | "float32" | "fp32r" | "tf32" | "int32" | "uint32" => Some(4),
        "bfloat16" | "bf16" | "fp16" | "float16" | "int16" | "uint16" => Some(2),
        "int8" | "uint8" => Some(1),
        _ if lower.starts_with("fp8") || lower.starts_with("float8") => Some(1),
        _ => None,
    }
}

/// Where a byte address of an engine is.
fn of_engine(address: u64) -> Option<(Memory, u64)> {
    match address {
        _ if address < PSUM.0 => Some((Memory::StateBuffer, address)),
        _ if address < PSUM.1 => Some((Memory::Psum, address - PSUM.0)),
        _ => None,
    }
}

/// `fp32@0x36500[1,0,0][512,1,1]`, or without a type `0x2000000[1,0,0][512,1,1]`.
fn tensor(text: &str, kind: AccessKind, partitions: Option<u16>) -> Option<Access> {
    let (dtype, rest) = text.split_once('@').map_or((None, text), |(dtype, rest)| (Some(dtype), rest));
    let at = rest.find('[')?;
    let (address, dims) = (hex(&rest[..at])?, dimensions(&rest[at..])?);
    let (memory, address) = of_engine(address)?;
    let n_bytes = match dtype {
        Some(dtype) => element_bytes(dtype)?,
        None if memory == Memory::Psum => ACCUMULATED_BYTES,
        None => return None,
    };
    let dims = dims.into_iter().map(|(step, count)| (step.saturating_mul(n_bytes as i64), count)).collect();
    pattern(FirstAddress { kind, memory, partitions: (0, partitions.unwrap_or(N_PARTITIONS)), table: 0, address }, n_bytes, dims)
}

/// One value of 32 bits in each partition.
fn pointer(address: &str, partitions: Option<u16>) -> Option<Access> {
    let (memory, address) = of_engine(hex(address)?)?;
    let place = FirstAddress { kind: AccessKind::Read, memory, partitions: (0, partitions.unwrap_or(N_PARTITIONS)), table: 0, address };
    pattern(place, 4, Vec::new())
}

/// An end of a DMA transfer.
fn transfer<'a>(value: &impl Fn(&str) -> Option<&'a str>, end: &str, kind: AccessKind) -> Option<Access> {
    let n_bytes: u64 = value(&format!("{end}_elem_size"))?.parse().ok()?;
    let mut dims = dimensions(value(&format!("{end}_pattern"))?)?;
    if let Some(index) = value(&format!("{end}_table_index")) {
        let address = hex(value(&format!("{end}_table_offset_imm"))?)?;
        return pattern(
            FirstAddress { kind, memory: Memory::Table, partitions: (0, 0), table: index.parse().ok()?, address },
            n_bytes,
            dims,
        );
    }
    let address = hex(value(&format!("{end}_addr_imm"))?)?;
    if address >> 32 != STATE_BUFFER_WINDOW {
        return pattern(FirstAddress { kind, memory: Memory::Device, partitions: (0, 0), table: 0, address }, n_bytes, dims);
    }
    // Within the window the steps of a partition's size lead from partition to partition.
    let within = address & u64::from(u32::MAX);
    let (partition, byte) = (u16::try_from(within / PARTITION_STEP).ok()?, within % PARTITION_STEP);
    let across = dims.iter().position(|d| d.0 == PARTITION_STEP as i64 && d.1 > 1);
    let n_partitions = across.map_or(1, |at| dims.remove(at).1);
    let n_partitions = u16::try_from(n_partitions).ok().filter(|n| partition.saturating_add(*n) <= N_PARTITIONS)?;
    pattern(
        FirstAddress { kind, memory: Memory::StateBuffer, partitions: (partition, n_partitions), table: 0, address: byte },
        n_bytes,
        dims,
    )
}

struct FirstAddress {
    kind: AccessKind,
    memory: Memory,
    partitions: (u16, u16),
    table: u32,
    address: u64,
}

/// A pattern of (step in bytes, count) dimensions as runs; `None` where it holds nothing, or more than can be addressed.
fn pattern(place: FirstAddress, n_bytes: u64, dims: Vec<(i64, u64)>) -> Option<Access> {
    if n_bytes == 0 || dims.iter().any(|d| d.1 == 0) || place.partitions.1 > N_PARTITIONS {
        return None;
    }
    let mut first = place.address;
    let mut steps: Vec<(u64, u64)> = Vec::new();
    for (step, count) in dims.into_iter().filter(|d| d.0 != 0 && d.1 > 1) {
        if step < 0 {
            first = first.checked_sub(step.unsigned_abs().checked_mul(count - 1)?)?;
        }
        steps.push((step.unsigned_abs(), count));
    }
    steps.sort_unstable();
    let (mut run, mut outer, mut is_exact) = (n_bytes, (0u64, 1u64), true);
    for (step, count) in steps {
        let reach = step.checked_mul(count - 1)?;
        if outer.1 > 1 && step == outer.0.checked_mul(outer.1)? {
            outer.1 = outer.1.checked_mul(count)?;
        } else if outer.1 > 1 {
            run = outer.0.checked_mul(outer.1 - 1)?.checked_add(run)?.checked_add(reach)?;
            (outer, is_exact) = ((0, 1), false);
        } else if step <= run {
            run = run.checked_add(reach)?;
        } else {
            outer = (step, count);
        }
    }
    let narrow = |n: u64| u32::try_from(n).ok();
    Some(Access {
        kind: place.kind,
        memory: place.memory,
        partition: place.partitions.0,
        n_partitions: place.partitions.1,
        table: place.table,
        address: first,
        run: narrow(run)?,
        step: narrow(outer.0)?,
        n_runs: narrow(outer.1)?,
        is_exact,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use AccessKind::{Accumulate, Read, Write};
    use Memory::{Device, Psum, StateBuffer, Table};

    type Short = (AccessKind, Memory, (u16, u16), u64, (u32, u32, u32), bool);

    fn of(text: &str) -> Vec<Short> {
        let short = |a: Access| (a.kind, a.memory, (a.partition, a.n_partitions), a.address, (a.run, a.step, a.n_runs), a.is_exact);
        accesses(text).into_iter().map(short).collect()
    }

    #[test]
    fn operands_of_engines() {
        let reduce = "S[5] (Tensor)>=5 op=MAX dim=X src=fp32@0x2002000[1,1,1,1][512,1,1,1] dst=fp32@0x4800[1,1,1,1][1,1,1,1] channels=64 ";
        assert_eq!(of(reduce), [(Read, Psum, (0, 64), 0x2000, (2048, 0, 1), true), (Write, StateBuffer, (0, 64), 0x4800, (4, 0, 1), true)]);
        let product = " acc_flags=2 src=bf16@0x36ff8[2,0,0][128,1,1] dst=0x2002000[1,0,0][512,1,1] 128*32 ";
        assert_eq!(
            of(product),
            [(Read, StateBuffer, (0, 128), 0x36ff8, (2, 4, 128), true), (Accumulate, Psum, (0, 32), 0x2000, (2048, 0, 1), true)]
        );
        assert_eq!(of(" src=fp32@0x369f4[-1,0,0][128,1,1] 128*128 "), [(Read, StateBuffer, (0, 128), 0x367f8, (512, 0, 1), true)]);
        let activate = "EXP bias_ptr=fp32@0x4810 src=fp32@0x2002000[1,1,1][512,1,1] dst=fp32@0x4820[1,1,1][512,1,1] channels=128 scale=1.0";
        assert_eq!(of(activate)[1], (Read, StateBuffer, (0, 128), 0x4810, (4, 0, 1), true));
        let scalar = " ops=MULTIPLY,BYPASS imm=0x6830,0 imm_src=PTR,INSTRUCTION src=fp32@0x10[1][4] dst=fp32@0x10[1][4] channels=128 ";
        assert_eq!(of(scalar)[1], (Read, StateBuffer, (0, 128), 0x6830, (4, 0, 1), true));
    }

    #[test]
    fn patterns_become_runs() {
        let one = |pattern: &str| of(&format!(" src=fp32@0x100{pattern} channels=1 "))[0];
        assert_eq!(one("[1,8,16][8,2,4]"), (Read, StateBuffer, (0, 1), 0x100, (256, 0, 1), true), "one run, then steps of its size");
        assert_eq!(one("[1,16,1][8,4,1]"), (Read, StateBuffer, (0, 1), 0x100, (32, 64, 4), true));
        assert_eq!(one("[1,16,64][8,4,3]"), (Read, StateBuffer, (0, 1), 0x100, (32, 64, 12), true));
        assert_eq!(one("[1,16,100][8,4,2]"), (Read, StateBuffer, (0, 1), 0x100, (624, 0, 1), false));
        assert_eq!(of(" src=fp32@0x100[1][0] channels=1 "), []);
    }

    #[test]
    fn ends_of_transfers() {
        let load = " semaphore=8 sem_increment=16  src_elem_size=512 dst_elem_size=512 src_pattern=[512,1][128,1] dst_pattern=[262144,1][128,1] \
                    src_table_offset_imm=0x40 src_table_index=3 src_shape_reg=0 dst_addr_imm=0x802000036500 dst_shape_reg=0 compute_op=NONE ";
        assert_eq!(
            of(load),
            [(Read, Table, (0, 0), 0x40, (65536, 0, 1), true), (Write, StateBuffer, (0, 128), 0x36500, (512, 0, 1), true)]
        );
        let other = load.replace("0x802000036500", "0x8005c03b0000");
        assert_eq!(of(&other)[1], (Write, Device, (0, 0), 0x8005_c03b_0000, (512, 262_144, 128), true));
        assert_eq!(of(&load.replace("0x802000036500", "0x802001fc0000")).len(), 1, "beyond the last partition");
    }

    #[test]
    fn hostile_text_names_nothing() {
        for text in [
            "",
            "src=",
            "src=fp32@0x",
            "src=fp32@0x1[1][99999999999999999999] channels=9",
            "src=fp32@0x1[-9223372036854775808][65535]",
            "src=other@0x1[1][1]",
            "src=fp32@0x4000000[1][1]",
            "src=fp32@0x1[-5][3] channels=1",
            "src=fp32@0x1[1,2][3]",
            "src_elem_size=1 src_pattern=[4294967295,4294967295][65535,65535] src_addr_imm=0xffffffffffffffff",
        ] {
            assert_eq!(of(text), [], "{text}");
        }
    }
}
