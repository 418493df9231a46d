//! Names of annotations that mark a step of LLM serving: its phase, requests and tokens.
//!
//! Sources: vLLM `gpu_worker.py` (`execute_context_2(14721)_generation_3(3)`; with sums of lengths `execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(…)`),
//! SGLang `step[DECODE bs=32]`, `step[EXTEND bs=2 toks=14721]`, ATOM `prefill[bs=2 tok=14721]`, `decode[bs=117/128 tok=117]`, TensorRT-LLM
//! `[Executor] _forward_step 7: 2 ctx reqs, 30 gen reqs`.

use serde::{Deserialize, Serialize};

/// What wrote the annotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    /// vLLM.
    Vllm,
    /// SGLang.
    Sglang,
    /// ATOM.
    Atom,
    /// TensorRT-LLM.
    TensorRtLlm,
}

impl Engine {
    /// For people.
    pub fn label(self) -> &'static str {
        match self {
            Engine::Vllm => "vLLM",
            Engine::Sglang => "SGLang",
            Engine::Atom => "ATOM",
            Engine::TensorRtLlm => "TensorRT-LLM",
        }
    }
}

/// Requests of one phase in a step. What is not recorded is `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Phase {
    /// Requests.
    pub requests: Option<u64>,
    /// Tokens that the step computes for them.
    pub tokens: Option<u64>,
    /// Sum of the lengths of their sequences: what attention reads.
    pub context: Option<u64>,
    /// Pairs of a query and a key that causal attention computes: Σ over requests of queries × keys − queries × (queries − 1) ÷ 2.
    pub pairs: Option<u64>,
}

impl Phase {
    /// No requests of this phase.
    const NONE: Phase = Phase { requests: Some(0), tokens: Some(0), context: Some(0), pairs: Some(0) };
}

/// Data in the name of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepShape {
    /// What wrote it.
    pub engine: Engine,
    /// Whether it has sequence lengths: of two annotations of a step, the one with more data is used.
    pub is_detailed: bool,
    /// What it ran.
    pub kind: StepKind,
    /// Requests of both phases.
    pub requests: Option<u64>,
    /// Requests that read their prompt.
    pub prefill: Phase,
    /// Requests that generate.
    pub decode: Phase,
}

/// What a step ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// Prompts only.
    Prefill,
    /// Generation only.
    Decode,
    /// Both.
    Mixed,
    /// Neither: no requests.
    Empty,
    /// Not recorded: a step by the name of an annotation.
    Step,
}

impl StepKind {
    /// For people.
    pub fn label(self) -> &'static str {
        match self {
            StepKind::Prefill => "Prefill",
            StepKind::Decode => "Decode",
            StepKind::Mixed => "Mixed",
            StepKind::Empty => "Empty",
            StepKind::Step => "Step",
        }
    }
}

impl StepShape {
    /// A step with what each phase has.
    fn new(engine: Engine, is_detailed: bool, prefill: Phase, decode: Phase) -> StepShape {
        let has = |phase: &Phase| phase.requests.or(phase.tokens).unwrap_or(0) > 0;
        let kind = match (has(&prefill), has(&decode)) {
            (true, true) => StepKind::Mixed,
            (true, false) => StepKind::Prefill,
            (false, true) => StepKind::Decode,
            (false, false) => StepKind::Empty,
        };
        StepShape { engine, is_detailed, kind, requests: both(prefill.requests, decode.requests), prefill, decode }
    }

    /// Tokens of both phases.
    pub fn tokens(&self) -> Option<u64> {
        both(self.prefill.tokens, self.decode.tokens)
    }

    /// Pairs of a query and a key that causal attention computes in both phases.
    pub fn pairs(&self) -> Option<u64> {
        both(self.prefill.pairs, self.decode.pairs)
    }

    /// Sum of the lengths of all sequences.
    pub fn context(&self) -> Option<u64> {
        both(self.prefill.context, self.decode.context)
    }
}

/// Σ queries × keys − Σ queries × (queries − 1) ÷ 2: the first query of a request does not see the keys of those after it.
fn causal_pairs(sq: u64, sqsq: u64, sqsk: u64) -> Option<u64> {
    sqsk.checked_sub(sqsq.checked_sub(sq)? / 2)
}

fn both(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    a?.checked_add(b?)
}

/// Longer names are not looked at, bytes.
const NAME_MAX: usize = 4_096;

/// Data about a step in the name of an annotation; `None` for a name of another form.
pub fn parse(name: &str) -> Option<StepShape> {
    if name.len() > NAME_MAX {
        return None;
    }
    vllm(name).or_else(|| sglang(name)).or_else(|| atom(name)).or_else(|| tensorrt_llm(name))
}

/// Reads digits at the beginning: the number and what follows.
fn number(text: &str) -> Option<(u64, &str)> {
    let end = text.bytes().position(|b| !b.is_ascii_digit()).unwrap_or(text.len());
    Some((text.get(..end)?.parse().ok()?, text.get(end..)?))
}

fn vllm(name: &str) -> Option<StepShape> {
    let rest = name.strip_prefix("execute_")?;
    // The detailed form begins with the number of all tokens.
    let rest = number(rest).and_then(|(_, rest)| rest.strip_prefix('_')).unwrap_or(rest);
    let (prefill, rest, is_detailed) = vllm_phase(rest.strip_prefix("context_")?)?;
    let (decode, rest, _) = vllm_phase(rest.strip_prefix("_generation_")?)?;
    rest.is_empty().then(|| StepShape::new(Engine::Vllm, is_detailed, prefill, decode))
}

/// `2(14721)` or `2(sq14721sk14721sqsq108745533sqsk108745533)`: queries, keys, and sums of their products.
fn vllm_phase(text: &str) -> Option<(Phase, &str, bool)> {
    let (requests, rest) = number(text)?;
    let (inside, rest) = rest.strip_prefix('(')?.split_once(')')?;
    let Some(lengths) = inside.strip_prefix("sq") else {
        let (tokens, end) = number(inside)?;
        return end.is_empty().then_some((Phase { requests: Some(requests), tokens: Some(tokens), ..Phase::default() }, rest, false));
    };
    let (tokens, lengths) = number(lengths)?;
    let (context, lengths) = number(lengths.strip_prefix("sk")?)?;
    let sums = lengths.strip_prefix("sqsq").and_then(number).and_then(|(sqsq, rest)| Some((sqsq, number(rest.strip_prefix("sqsk")?)?.0)));
    let pairs = sums.and_then(|(sqsq, sqsk)| causal_pairs(tokens, sqsq, sqsk));
    Some((Phase { requests: Some(requests), tokens: Some(tokens), context: Some(context), pairs }, rest, true))
}

/// The value of `key=` among the words of a label.
fn field(body: &str, key: &str) -> Option<u64> {
    let value = body.split_whitespace().find_map(|word| word.strip_prefix(key)?.strip_prefix('='))?;
    // `bs=117/128` is the real batch and the one padded to the size of a graph.
    number(value).map(|n| n.0)
}

fn sglang(name: &str) -> Option<StepShape> {
    let body = name.strip_prefix("step[")?.strip_suffix(']')?;
    let mode = body.split_whitespace().next()?;
    let (batch, tokens) = (field(body, "bs"), field(body, "toks"));
    let is_detailed = body.contains("sqsq=");
    let pairs = |prefix: &str| {
        let of = |key: &str| field(body, &format!("{prefix}_{key}"));
        causal_pairs(of("sq")?, of("sqsq")?, of("sqsk")?)
    };
    let sums = |prefix: &str| (field(body, &format!("{prefix}_sq")), field(body, &format!("{prefix}_sk")));
    let (prefill, decode) = match mode {
        "DECODE" => {
            let (queries, context) = sums("g");
            // Without speculation each request generates one token.
            (Phase::NONE, Phase { requests: batch, tokens: queries.or(batch), context, pairs: pairs("g") })
        }
        "EXTEND" => {
            let (queries, context) = sums("c");
            (Phase { requests: batch, tokens: queries.or(tokens), context, pairs: pairs("c") }, Phase::NONE)
        }
        "MIXED" => {
            let (c, g) = (sums("c"), sums("g"));
            let prefill = Phase { requests: field(body, "c"), tokens: c.0, context: c.1, pairs: pairs("c") };
            (prefill, Phase { requests: field(body, "g"), tokens: g.0, context: g.1, pairs: pairs("g") })
        }
        _ => return None,
    };
    let shape = StepShape::new(Engine::Sglang, is_detailed, prefill, decode);
    // A short label of a mixed step has only the number of all requests.
    Some(if mode == "MIXED" { StepShape { kind: StepKind::Mixed, requests: batch, ..shape } } else { shape })
}

fn atom(name: &str) -> Option<StepShape> {
    let (mode, rest) = name.split_once('[')?;
    let body = rest.split_once(']').map_or(rest, |_| rest).trim_end_matches(']');
    let phase = Phase { requests: Some(field(body, "bs")?), tokens: field(body, "tok"), context: field(body, "sk"), pairs: None };
    let (prefill, decode) = match mode {
        "prefill" => (phase, Phase::NONE),
        "decode" => (Phase::NONE, phase),
        _ => return None,
    };
    Some(StepShape::new(Engine::Atom, body.contains("sqsq="), prefill, decode))
}

fn tensorrt_llm(name: &str) -> Option<StepShape> {
    let (_, rest) = name.split_once("_forward_step ")?;
    let (_, rest) = number(rest)?;
    let rest = rest.strip_prefix(": ")?;
    let of = |unit: &str| {
        let part = rest.split(", ").find_map(|part| part.strip_suffix(unit))?;
        number(part.trim()).filter(|(_, end)| end.is_empty()).map(|n| n.0)
    };
    let (prefill, decode) = (of(" ctx reqs")?, of(" gen reqs")?);
    let tokens = |requests: u64, recorded: Option<u64>| recorded.or((requests == 0).then_some(0));
    let prefill = Phase { requests: Some(prefill), tokens: tokens(prefill, of(" ctx tokens")), ..Phase::default() };
    // Speculation, which would generate more than one token, is not in the name.
    let decode = Phase { requests: Some(decode), tokens: Some(decode), ..Phase::default() };
    Some(StepShape::new(Engine::TensorRtLlm, false, prefill, decode))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_causal_attention_are_counted() {
        let pairs = |name: &str| parse(name).and_then(|s| s.pairs());
        assert_eq!(pairs("execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk55086sqsq32sqsk55086)"), Some(55_086));
        assert_eq!(pairs("step[EXTEND bs=1 toks=4 c_sq=4 c_sk=10 c_sqsq=16 c_sqsk=40]"), Some(34));
        assert_eq!(pairs("step[DECODE bs=32]"), None);
        assert_eq!(pairs("execute_1_context_1(sq4sk10sqsq2sqsk40)_generation_0(sq0sk0sqsq0sqsk0)"), None, "sums that cannot be");
    }

    /// Kind, requests, tokens, context.
    type Formatted = (StepKind, Option<u64>, Option<u64>, Option<u64>);

    fn found(name: &str) -> Option<Formatted> {
        parse(name).map(|s| (s.kind, s.requests, s.tokens(), s.context()))
    }

    #[test]
    fn names_of_every_engine_are_read() {
        use StepKind::{Decode, Mixed, Prefill};
        let check =
            |name: &str, kind, requests, tokens, context| assert_eq!(found(name), Some((kind, requests, tokens, context)), "{name}");
        check("execute_context_2(14721)_generation_0(0)", Prefill, Some(2), Some(14_721), None);
        check("execute_context_0(0)_generation_64(64)", Decode, Some(64), Some(64), None);
        check("execute_context_2(6144)_generation_3(3)", Mixed, Some(5), Some(6_147), None);
        let detailed = "execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk55086sqsq32sqsk55086)";
        check(detailed, Decode, Some(32), Some(32), Some(55_086));
        check("step[DECODE bs=32]", Decode, Some(32), Some(32), None);
        check("step[DECODE bs=64 g_sq=128 g_sqsq=256 g_sqsk=262144 g_sk=131072]", Decode, Some(64), Some(128), Some(131_072));
        check("step[EXTEND bs=2 toks=14721]", Prefill, Some(2), Some(14_721), None);
        let mixed = "step[MIXED bs=2 c=1 g=1 c_sq=5 c_sk=8 c_sqsq=25 c_sqsk=40 g_sq=1 g_sk=12 g_sqsq=1 g_sqsk=12]";
        check(mixed, Mixed, Some(2), Some(6), Some(20));
        check("step[MIXED bs=2]", Mixed, Some(2), None, None);
        check("prefill[bs=2 tok=14721 ctx=[7803, 6918]]", Prefill, Some(2), Some(14_721), None);
        check("decode[bs=117/128 tok=117 d=117]", Decode, Some(117), Some(117), None);
        check("[Executor] _forward_step 7: 2 ctx reqs, 30 gen reqs", Mixed, Some(32), None, None);
        check("[Executor] _forward_step 7: 2 ctx reqs, 500 ctx tokens, 30 gen reqs", Mixed, Some(32), Some(530), None);
        check("[Executor] _forward_step 8: 0 ctx reqs, 30 gen reqs", Decode, Some(30), Some(30), None);
    }

    #[test]
    fn other_names_are_no_steps() {
        for name in [
            "",
            "execute_",
            "execute_model",
            "execute_context_2(14721)",
            "execute_context_2(x)_generation_0(0)",
            "execute_context_99999999999999999999(1)_generation_0(0)",
            "execute_context_1(1)_generation_1(1)_more",
            "step[",
            "step[IDLE bs=0]",
            "ProfilerStep#4",
            "prefill[",
            "decode[tok=3]",
            "_forward_step 7: ctx reqs, 30 gen reqs",
            "é(é)_generation_é",
        ] {
            assert_eq!(found(name), None, "{name}");
        }
        assert_eq!(found(&"step[DECODE bs=1 ".repeat(1_000)), None, "too long");
    }
}
