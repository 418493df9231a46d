//! The operands of an instruction, word by word with what each means.
//!
//! The words are those of the profiler's listings: semaphores (`S[5] (Tensor)>=1`, `$S[2]=0@complete`), access patterns
//! (`fp32@0x36ff8[1,0,0][512,1,1]`: type, address, strides and sizes of the dimensions), sizes (`128*128`) and `key=value`.

use serde::{Deserialize, Serialize};

/// More words than these of one instruction are not recorded.
const MOST: usize = 64;

/// One word of the operands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operand {
    /// As it is in the file.
    pub text: String,
    /// What it means; empty where that is not known.
    pub meaning: String,
}

/// Keys and what they mean; those of patterns and semaphores are distinguished.
const KEYS: [(&str, &str); 33] = [
    ("channels", "Active partitions of 128"),
    ("cmp_op", "Condition of the branch"),
    ("label_id", "Target of the branch"),
    ("acc_flags", "Accumulation mode in PSUM"),
    ("fp32_mode", "Pass of an fp32 product, which takes several passes"),
    ("transpose_mode", "Whether the engine transposes during loading"),
    ("accumulator_cmd", "Accumulator operation"),
    ("scale", "Scale factor before the function"),
    ("imm", "Immediate value"),
    ("op", "Arithmetic"),
    ("ops", "Arithmetic operations in sequence"),
    ("dim", "Reduced dimensions: X is the innermost"),
    ("dtype", "Type of the elements"),
    ("dge_op", "How the descriptors of the transfer are created at run time"),
    ("sem_increment", "Semaphore increment of the transfer: one for each DMA engine"),
    ("src_elem_size", "Contiguous bytes per read"),
    ("dst_elem_size", "Contiguous bytes per write"),
    ("compute_op", "Arithmetic during the transfer; NONE copies"),
    ("src_var_id", "Source variable"),
    ("dst_var_id", "Destination variable"),
    ("src_var_offset", "Byte offset in the source variable"),
    ("dst_var_offset", "Byte offset in the destination variable"),
    ("src_addr_imm", "Source address"),
    ("dst_addr_imm", "Destination address"),
    ("bias_ptr", "Bias: type and address"),
    ("setter", "Number of the engine that sets the semaphores"),
    ("ordering_mode", "Whether instructions can execute out of order"),
    ("table_sel", "Function table to load"),
    ("data", "Value to write"),
    ("size", "Bytes to write"),
    ("first", "First semaphore of the range"),
    ("last", "Last semaphore of the range"),
    ("cycle", "Duration in cycles"),
];

/// The words of `operands` in their order, at most 64.
pub fn operands(operands: &str) -> Vec<Operand> {
    words(operands).into_iter().take(MOST).map(|text| Operand { text: text.into(), meaning: meaning(text) }).collect()
}

/// Split at spaces, but `S[5] (Tensor)>=1` is one word.
fn words(text: &str) -> Vec<&str> {
    let mut out: Vec<&str> = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let end = match rest.find("] (").filter(|at| rest[..*at].strip_prefix('$').unwrap_or(&rest[..*at]).starts_with("S[")) {
            Some(at) if !rest[..at].contains(' ') => at + 3 + rest[at + 3..].find(' ').unwrap_or(rest.len() - at - 3),
            _ => rest.find(char::is_whitespace).unwrap_or(rest.len()),
        };
        out.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    out
}

fn meaning(word: &str) -> String {
    if let Some(meaning) = semaphore(word) {
        return meaning;
    }
    if let Some((rows, columns)) = word.split_once('*').filter(|(a, b)| is_number(a) && is_number(b)) {
        return format!("{rows} rows by {columns} columns of the array");
    }
    let Some((key, value)) = word.split_once('=') else {
        let is_name = word.len() > 1 && word.bytes().all(|c| c.is_ascii_uppercase() || c == b'_' || c.is_ascii_digit());
        return if is_name { "Applied function".into() } else { String::new() };
    };
    match key {
        "semaphore" => format!("Increments semaphore {value} at the end of the transfer"),
        "src_pattern" | "dst_pattern" => {
            let side = if key == "src_pattern" { "reads" } else { "writes" };
            lists(value).map(|(step, n)| format!("Access pattern ({side}): {}", dimensions(&step, &n, " bytes"))).unwrap_or_default()
        }
        _ if is_access(key, value) => access(key, value),
        _ => KEYS.iter().find(|k| k.0 == key).map_or(String::new(), |k| k.1.into()),
    }
}

/// Whether the word is an address of elements that are read or written.
fn is_access(key: &str, value: &str) -> bool {
    key == "dst" || (key.starts_with("src") && value.contains('@')) || (value.starts_with("0x") && value.contains('['))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit())
}

/// `S[5] (Tensor)>=1`: waits; `S[5] (Tensor)++@complete`: sets.
fn semaphore(word: &str) -> Option<String> {
    let raw = word.strip_prefix('$').unwrap_or(word);
    let (what, rest) = match (raw.strip_prefix("S["), raw.strip_prefix("E[")) {
        (Some(rest), _) => ("semaphore", rest),
        (_, Some(rest)) => ("event", rest),
        _ => return None,
    };
    let (id, rest) = rest.split_once(']').filter(|p| is_number(p.0))?;
    let (owner, rest) = match rest.strip_prefix(" (") {
        Some(named) => named.split_once(')').map(|(owner, rest)| (format!(", which {} sets,", whose(owner)), rest))?,
        None => (String::new(), rest),
    };
    let (rest, when) = match rest.strip_suffix("@complete") {
        Some(rest) => (rest, " at its end"),
        None => (rest, ""),
    };
    let name = format!("{what} {id}{owner}");
    let meaning = match rest {
        "++" | "+" => format!("Increments {name}{when}"),
        "--" | "-" => format!("Decrements {name}{when}"),
        _ => match (rest.strip_prefix(">="), rest.strip_prefix("=="), rest.strip_prefix("+="), rest.strip_prefix("-=")) {
            (Some(n), ..) => format!("Waits until {name} is at least {n}"),
            (_, Some(n), ..) => format!("Waits until {name} is {}", n.trim_end_matches(['-', '+'])),
            (_, _, Some(n), _) => format!("Adds {n} to {name}{when}"),
            (.., Some(n)) => format!("Subtracts {n} from {name}{when}"),
            _ => format!("Sets {name} to {}{when}", rest.strip_prefix('=')?),
        },
    };
    Some(meaning.trim_end_matches(',').to_string())
}

fn whose(owner: &str) -> String {
    if owner.starts_with('q') { format!("the DMA queue {owner}") } else { owner.to_string() }
}

/// `fp32@0x36ff8[1,0,0][512,1,1]` in words.
fn access(key: &str, value: &str) -> String {
    let side = if key.starts_with("dst") { "Writes" } else { "Reads" };
    let (dtype, place) = match value.split_once('@') {
        Some((dtype, place)) => (format!(" {dtype}"), place),
        None => (String::new(), value),
    };
    let Some(at) = place.find('[') else {
        return format!("{side}{dtype} at {place}");
    };
    match lists(&place[at..]) {
        Some((steps, sizes)) => format!("{side}{dtype} at {}: {}", &place[..at], dimensions(&steps, &sizes, "")),
        None => format!("{side}{dtype} at {place}"),
    }
}

/// `[1,0,0][512,1,1]` → (strides, sizes), which are of one length.
fn lists(text: &str) -> Option<(Vec<i64>, Vec<i64>)> {
    let (first, second) = text.strip_prefix('[')?.strip_suffix(']')?.split_once("][")?;
    let list = |text: &str| text.split(',').map(|n| n.trim().parse().ok()).collect::<Option<Vec<i64>>>();
    let (steps, sizes) = (list(first)?, list(second)?);
    (steps.len() == sizes.len()).then_some((steps, sizes))
}

/// Dimensions of more than one element, innermost first.
fn dimensions(steps: &[i64], sizes: &[i64], unit: &str) -> String {
    let meaning = steps.iter().zip(sizes).filter(|(_, n)| **n != 1).map(|(step, n)| match step {
        0 => format!("the same element {n} times"),
        1 => format!("{n} contiguous"),
        _ => format!("{n} with stride {step}{unit}"),
    });
    let meaning: Vec<String> = meaning.collect();
    if meaning.is_empty() { "1 element".into() } else { meaning.join(", then ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, want: &[(&str, &str)]) {
        let got = operands(text);
        assert_eq!(got.iter().map(|o| (o.text.as_str(), o.meaning.as_str())).collect::<Vec<_>>(), want);
    }

    #[test]
    fn semaphores_wait_and_are_set() {
        check(
            "S[5] (Tensor)>=4 S[4] (Scalar)++@complete $S[2]==3 $S[2]-=1@complete $S[1]=0@complete $E[4]==1-",
            &[
                ("S[5] (Tensor)>=4", "Waits until semaphore 5, which Tensor sets, is at least 4"),
                ("S[4] (Scalar)++@complete", "Increments semaphore 4, which Scalar sets, at its end"),
                ("$S[2]==3", "Waits until semaphore 2 is 3"),
                ("$S[2]-=1@complete", "Subtracts 1 from semaphore 2 at its end"),
                ("$S[1]=0@complete", "Sets semaphore 1 to 0 at its end"),
                ("$E[4]==1-", "Waits until event 4 is 1"),
            ],
        );
        check(
            "S[24] (qSyncDynamicHW)>=16",
            &[("S[24] (qSyncDynamicHW)>=16", "Waits until semaphore 24, which the DMA queue qSyncDynamicHW sets, is at least 16")],
        );
    }

    #[test]
    fn patterns_have_types_addresses_and_dimensions() {
        check(
            " src=fp32@0x6c4c[-1,0,0][128,1,1] 128*128 dst=0x2003800[1,0,0][128,1,1] channels=128 EXP src_pattern=[512,1][128,1]",
            &[
                ("src=fp32@0x6c4c[-1,0,0][128,1,1]", "Reads fp32 at 0x6c4c: 128 with stride -1"),
                ("128*128", "128 rows by 128 columns of the array"),
                ("dst=0x2003800[1,0,0][128,1,1]", "Writes at 0x2003800: 128 contiguous"),
                ("channels=128", "Active partitions of 128"),
                ("EXP", "Applied function"),
                ("src_pattern=[512,1][128,1]", "Access pattern (reads): 128 with stride 512 bytes"),
            ],
        );
    }

    #[test]
    fn whatever_stands_there_is_kept() {
        for text in ["", " ", "S[", "S[5", "S[5] (", "S[5] (a", "src=[1][2,3]", "src=x@[1", "a=b=c", "$", "S[x]>=1", "[", "é S[1] (ü)>=2 "]
        {
            let joined: String = operands(text).into_iter().map(|o| o.text).collect();
            assert_eq!(joined.replace(' ', ""), text.replace(' ', ""), "{text}");
        }
    }
}
