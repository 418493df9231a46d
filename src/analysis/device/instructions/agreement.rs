//! Whether two files of one run say the same of its instructions: a trace that we decode, and the profiler's own output.

use serde::{Deserialize, Serialize};

/// Instructions of one answer.
pub const MOST_ROWS: usize = 500_000;

/// One profile's instructions in short.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgreementPart {
    /// Whether the profiler wrote the file; else we decoded it.
    pub is_of_profiler: bool,
    /// Id of the NEFF that ran; empty where not recorded.
    pub uuid: String,
    /// Execution window, nanoseconds.
    pub window_ns: i64,
    /// Instructions of the profile; more than `rows` where it has too many to compare.
    pub n_instructions: u64,
    /// Two hashes of each instruction, sorted: of engine, program counter and start, which name the execution; and of the values compared.
    pub rows: Vec<(u64, u64)>,
}

/// Two files of one run compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreement {
    /// Executions that both files have.
    pub n_common: u64,
    /// Of these, those with the same opcode, duration, operands and counters.
    pub n_equal: u64,
    /// Executions that only the trace has.
    pub n_only_trace: u64,
    /// Executions that only the profiler's output has.
    pub n_only_profiler: u64,
}

impl Agreement {
    /// For the ledger.
    pub fn sentence(&self) -> String {
        let count = crate::base::text::count;
        let rest = match (self.n_only_trace, self.n_only_profiler) {
            (0, 0) => String::new(),
            (a, b) => format!("; {} only in the trace, {} only in its output", count(a), count(b)),
        };
        format!("{} of {} instructions agree with neuron-profile{rest}.", count(self.n_equal), count(self.n_common))
    }
}

/// Compares a trace with the profiler's output of the same run, in either order; `None` where they are not of one run.
pub fn agreement(a: &AgreementPart, b: &AgreementPart) -> Option<Agreement> {
    let (trace, profiler) = match (a.is_of_profiler, b.is_of_profiler) {
        (false, true) => (a, b),
        (true, false) => (b, a),
        _ => return None,
    };
    let is_one_run = trace.window_ns == profiler.window_ns && (trace.uuid == profiler.uuid || profiler.uuid.is_empty());
    if !is_one_run || trace.rows.is_empty() || profiler.rows.is_empty() {
        return None;
    }
    let mut out = Agreement { n_common: 0, n_equal: 0, n_only_trace: 0, n_only_profiler: 0 };
    let (mut i, mut k) = (0, 0);
    while let (Some(x), Some(y)) = (trace.rows.get(i), profiler.rows.get(k)) {
        match x.0.cmp(&y.0) {
            std::cmp::Ordering::Less => (i, out.n_only_trace) = (i + 1, out.n_only_trace + 1),
            std::cmp::Ordering::Greater => (k, out.n_only_profiler) = (k + 1, out.n_only_profiler + 1),
            std::cmp::Ordering::Equal => {
                out.n_common += 1;
                out.n_equal += u64::from(x.1 == y.1);
                (i, k) = (i + 1, k + 1);
            }
        }
    }
    out.n_only_trace += (trace.rows.len() - i) as u64;
    out.n_only_profiler += (profiler.rows.len() - k) as u64;
    // Another run of the same program has its instructions at other times.
    (out.n_common * 2 >= trace.rows.len().min(profiler.rows.len()) as u64).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(is_of_profiler: bool, rows: &[(u64, u64)]) -> AgreementPart {
        AgreementPart { is_of_profiler, uuid: "u".into(), window_ns: 9, n_instructions: rows.len() as u64, rows: rows.to_vec() }
    }

    #[test]
    fn rows_of_one_run_are_compared() {
        let (trace, output) = (part(false, &[(1, 10), (2, 20), (3, 30)]), part(true, &[(2, 20), (3, 31), (4, 40)]));
        let found = agreement(&trace, &output).expect("one run");
        assert_eq!(Some(found), agreement(&output, &trace));
        assert_eq!(found, Agreement { n_common: 2, n_equal: 1, n_only_trace: 1, n_only_profiler: 1 });
        assert_eq!(found.sentence(), "1 of 2 instructions agree with neuron-profile; 1 only in the trace, 1 only in its output.");
    }

    #[test]
    fn other_pairs_are_not_compared() {
        let (trace, output) = (part(false, &[(1, 1)]), part(true, &[(1, 1)]));
        assert!(agreement(&trace, &trace).is_none() && agreement(&output, &output).is_none());
        assert!(agreement(&trace, &AgreementPart { window_ns: 8, ..output.clone() }).is_none());
        assert!(agreement(&trace, &AgreementPart { uuid: "v".into(), ..output.clone() }).is_none());
        assert!(agreement(&trace, &part(true, &[(7, 1)])).is_none(), "nothing in common");
        assert!(agreement(&trace, &AgreementPart { uuid: String::new(), ..output }).is_some());
    }
}
