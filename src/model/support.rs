//! An `analyze` report: the operators of a model that the Neuron compiler supports. A profile without a timeline.

/// A report, as far as it was there. A half that the report does not have is `None`, an empty one is empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SupportReport {
    /// Which tool wrote it.
    pub source: SupportSource,
    /// `torch_neuronx_version`.
    pub torch_neuronx_version: Option<String>,
    /// `neuronx_cc_version`.
    pub neuronx_cc_version: Option<String>,
    /// `support_percentage` as written: `60.00%`.
    pub percentage_text: Option<String>,
    /// The same as a number from 0 to 100; `None` when it cannot be read.
    pub percentage: Option<f64>,
    /// Supported operators in the order first seen, each once.
    pub supported: Option<Vec<SupportedOperator>>,
    /// Supported HLO instructions, as written; only at verbosity 1.
    pub supported_hlo: Option<Vec<String>>,
    /// Operators that failed, one for each call, in the order written.
    pub unsupported: Option<Vec<FailedOperator>>,
    /// HLO instructions that failed; only at verbosity 1.
    pub unsupported_hlo: Option<Vec<FailedInstruction>>,
}

/// Which tool wrote a report.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SupportSource {
    /// The report has no half from which this could be determined.
    #[default]
    Unknown,
    /// `neuron_parallel_compile --command analyze`: halves are objects.
    Command,
    /// `torch_neuronx.analyze()`: the two lists contain operators directly.
    Function,
}

/// An operator that works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupportedOperator {
    /// `aten::add`.
    pub name: String,
    /// How often it occurs; `None` when the report gives no number.
    pub count: Option<u64>,
}

/// One call that does not work. Texts are empty where the report has none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FailedOperator {
    /// `aten::mul`.
    pub kind: String,
    /// `neuronx-cc` or `Lowering to HLO`.
    pub failure_at: String,
    /// `file line`, or a stack of several lines.
    pub call: String,
    /// TorchScript text of the graph around it.
    pub graph: String,
}

/// One HLO instruction that does not work.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FailedInstruction {
    /// As written: `c64[4]{0} convert(f32[4]{0})`.
    pub text: String,
    /// The operator it comes from; empty where the report does not record it.
    pub operator: String,
}
