//! Words of a trace beside other files: learned from the profiler's output of the run, aligned with those of another program; long traces.

use crate::neuron_support::writer::{self, word};
use crate::neuron_support::*;
use axonscope::analysis::device::ProgramQuery;
use axonscope::analysis::device::advice::advice;
use axonscope::analysis::device::instructions::learned::{self, LearnQuery, LearnedCodesQuery, LearnedWord, UnknownWordsQuery};
use axonscope::analysis::device::instructions::program_alignment::{Alignment, AlignmentQuery};
use axonscope::base::SliceId;
use axonscope::engine::Session;
use axonscope::engine::query::DetailsQuery;
use axonscope::formats::{import, ntff};
use axonscope::model::program::{LearnedCode, LearnedNames};
use serde_json::json;

fn session(files: &[Named]) -> Session {
    let (claim, outcome) = import::import(&set(files)).expect("opens").remove(0);
    let (imported, input) = outcome.expect("opens");
    Session::new(claim, input, imported)
}

/// A trace that ran a NOP, an opcode without a name and a COPY of an unknown type.
fn unknown_words() -> Named {
    let nop = word(0xA4, &[(0x0C, &[2])]);
    let image = [nop, word(0x41, &[(4, &[5, 7, 0x13, 8, 3])]), word(0x46, &[(0x20, &[11, 10])]), word(0x41, &[])].concat();
    let mut regions = writer::regions();
    let at = |i: u64| 1_000_000 * i;
    regions[0].2 = [0u64, 1, 2, 1].iter().zip(0u64..).flat_map(|(pc, i)| writer::instruction(*pc, at(i), at(i) + 500_000)).collect();
    ("a.ntff".into(), writer::trace_of(6, 2, &[(0, image)], &regions, 0))
}

#[test]
fn names_that_the_profiler_has_are_learned_and_marked() {
    let trace = session(&[unknown_words()]);
    let instruction = |pc: i64, opcode: &str, operands: &str| {
        json!({"subgraph": "sg00", "label": "Tensor", "subgroup": "Tensor", "opcode": opcode, "operands": operands, "pc": pc,
            "timestamp": pc * 1000, "duration": 500})
    };
    let sections = json!({
        "metadata": [{"first_hw_timestamp": 0, "last_hw_timestamp": 10_000, "num_physical_cores": 1}],
        "model_info": [{"sg_name": "sg00", "nc_idx": 4}],
        "instruction": [instruction(0, "NOP", " cycle=2 "), instruction(1, "TENSOR_TENSOR", " S[7]>=3 op=ADD "), instruction(2, "COPY", " src=fp8@0x0 ")],
    });
    let output = session(&[("a.json".into(), sections.to_string().into_bytes())]);
    let words = trace.ask(&UnknownWordsQuery).expect("words");
    assert_eq!(
        words.iter().map(|w| (w.pc, w.opcode.as_str())).collect::<Vec<_>>(),
        [(1, "opcode 0x41"), (2, "COPY")],
        "executed, each once"
    );
    assert!(words.iter().all(|w| w.word.len() == 128 && w.core == "NC 4" && w.engine == "Tensor" && !w.refused.is_empty()), "{words:?}");
    let found = output.ask(&LearnQuery { words }).expect("an answer");
    let texts: Vec<(&str, &str)> = found.iter().map(|w| (w.opcode.as_str(), w.operands.as_str())).collect();
    assert_eq!(texts, [("TENSOR_TENSOR", "S[7]>=3 op=ADD"), ("COPY", "src=fp8@0x0")]);
    let names: Vec<(u8, String)> = learned::names(&found).into_iter().collect();
    assert_eq!(names, [(0x41, "TENSOR_TENSOR".to_string())]);
    // The next import in this thread has them; names of our own and what is no name are left out.
    let opcodes = [names, vec![(0xA4, "OTHER".into()), (0x42, "<b>".into())]].concat();
    ntff::learn(&LearnedNames { opcodes, codes: Vec::new() });
    let again = session(&[unknown_words()]);
    ntff::learn(&LearnedNames::default());
    let shown: Vec<String> = (0..again.profile.slices.len() as u32).map(|i| again.profile.name_of(SliceId(i)).to_string()).collect();
    assert_eq!(shown.iter().filter(|n| *n == "TENSOR_TENSOR (learned)").count(), 2, "{shown:?}");
    assert!(shown.iter().any(|n| n == "NOP"), "{shown:?}");
    let count = |s: &Session, kind: &str| s.ledger.skipped.iter().find(|k| k.kind == kind).map(|k| k.count);
    assert_eq!((count(&again, "learned_opcode"), count(&again, "unknown_opcode")), (Some(2), None));
    assert_eq!((count(&trace, "learned_opcode"), count(&trace, "unknown_opcode")), (None, Some(2)));
}

/// A type that only the profiler's output names is learned, decodes the next trace, is marked in details and ledger, and can be forgotten.
#[test]
fn codes_of_operands_are_learned_and_marked() {
    let trace = session(&[unknown_words()]);
    let pattern = "@0x0[0,0,0,0][0,0,0,0]";
    let text = format!(" src=fp8_e4m3{pattern} dst=fp32{pattern} channels=0 ");
    let words = trace.ask(&UnknownWordsQuery).expect("words");
    let copy = words.into_iter().find(|w| w.opcode == "COPY").expect("a COPY");
    let learn = |operands: &str| {
        let words = vec![LearnedWord { word: copy.clone(), opcode: "COPY".into(), operands: operands.into() }];
        trace.ask(&LearnedCodesQuery { words }).expect("codes")
    };
    let codes = learn(&text);
    assert_eq!(codes, [LearnedCode { field: "data type".into(), code: 11, name: "fp8_e4m3".into() }]);
    assert!(learn(&text.replace("0x0", "0x10")).is_empty(), "another address: another word");
    assert!(learn(&text.replace("fp8_e4m3", "fp32")).is_empty(), "the name of another code");
    ntff::learn(&LearnedNames { opcodes: Vec::new(), codes });
    let again = session(&[unknown_words()]);
    let details = |s: &Session| {
        let slice = (0..s.profile.slices.len() as u32).map(SliceId).find(|i| s.profile.name_of(*i) == "COPY").expect("a COPY");
        let details = s.ask(&DetailsQuery { item: slice.into() }).expect("details");
        details.fields.iter().map(|f| (f.key.clone(), f.value.clone())).collect::<Vec<_>>()
    };
    let found = details(&again);
    ntff::learn(&LearnedNames::default());
    let value = |all: &[(String, String)], key: &str| all.iter().find(|f| f.0 == key).map(|f| f.1.clone());
    assert_eq!(value(&found, "operands").as_deref(), Some(text.as_str()), "{found:?}");
    assert_eq!(value(&found, "learned codes").as_deref(), Some("data type 0x0b is fp8_e4m3"));
    let count = |s: &Session, kind: &str| s.ledger.skipped.iter().find(|k| k.kind == kind).map(|k| k.count);
    assert_eq!((count(&again, "learned_operands"), count(&again, "operands_46_data_type_0b")), (Some(1), None));
    let forgotten = session(&[unknown_words()]);
    assert_eq!((count(&forgotten, "learned_operands"), count(&forgotten, "operands_46_data_type_0b")), (None, Some(1)));
    assert_eq!(value(&details(&forgotten), "learned codes"), None);
}

#[test]
fn every_word_of_the_real_runs_is_decoded_or_never_ran() {
    let Some(folder) = conformance() else { return };
    for (run, stem) in [("fused_attention", "fused"), ("baseline_attention", "baseline")] {
        let trace = session(&[file(&folder, run, &format!("{stem}_exec_2.ntff"))]);
        assert_eq!(trace.ask(&UnknownWordsQuery), Ok(Vec::new()), "{run}");
    }
}

#[test]
fn programs_of_two_runs_are_aligned() {
    let Some(folder) = conformance() else { return };
    let open = |run: &str, stem: &str| session(&[file(&folder, run, &format!("{stem}_exec_2.ntff"))]);
    let (fused, baseline) = (open("fused_attention", "fused"), open("baseline_attention", "baseline"));
    for engine in 0..5 {
        let program = ProgramQuery { engine: Some(engine), slice: None };
        let [a, b] = [&fused, &baseline].map(|s| s.ask(&program).expect("a program"));
        let same = fused.ask(&AlignmentQuery { program, other: a.clone() }).expect("aligned");
        assert_eq!((same.count(Alignment::Equal), same.rows.len()), (a.n_rows, a.rows.len()), "engine {engine}: the same program");
        let found = fused.ask(&AlignmentQuery { program, other: b.clone() }).expect("aligned");
        let n = |kind| found.count(kind);
        let both = n(Alignment::Equal) + n(Alignment::Changed);
        assert_eq!((both + n(Alignment::OnlyThis), both + n(Alignment::OnlyOther)), (a.n_rows, b.n_rows), "engine {engine}");
        assert!(n(Alignment::Equal) > 50, "engine {engine}: the loader's words at least, {}", n(Alignment::Equal));
        for row in &found.rows {
            if let (Some(x), Some(y)) = (row.this, row.other) {
                assert_eq!(a.rows[x as usize].opcode, b.rows[y as usize].opcode);
            }
        }
    }
    // A NEFF alone has a program without times, which can stand beside a run.
    let neff = session(&[file(&folder, "fused_attention", "fused.neff")]);
    let alone = neff.ask(&ProgramQuery::default()).expect("a program");
    assert!(!alone.has_times && !alone.rows.is_empty());
    let found = fused.ask(&AlignmentQuery { program: ProgramQuery::default(), other: alone }).expect("aligned");
    assert!(found.count(Alignment::Equal) + found.count(Alignment::Changed) > 0 && found.this.has_times && !found.other.has_times);
}

/// Records that were dropped leave others without a partner.
#[test]
fn dropped_records_are_advice() {
    let fires = |regions: &writer::Regions| {
        let image = word(0xA4, &[(0x0C, &[2])]);
        let bytes = writer::trace_of(6, 2, &[(0, image)], regions, 0);
        let got = advice(&import_one(&[("a.ntff".into(), bytes)]).expect("opens").profile);
        let finding = got.findings.into_iter().find(|f| f.id == "capture c");
        assert!(finding.is_some() || got.quiet.iter().any(|q| q.0 == "capture c"), "judged");
        finding.map(|f| f.evidence)
    };
    let mut regions = writer::regions();
    regions[0].2 = [writer::instruction(0, 1_000_000, 2_000_000), writer::instruction(0, 3_000_000, 4_000_000)].concat();
    assert_eq!(fires(&regions), None);
    // The first start is lost.
    regions[0].2.drain(..16);
    let evidence = fires(&regions).expect("an end without a start");
    assert_eq!(evidence[0], ("Ends without a start".to_string(), "1".to_string()));
    // A start without an end may still run.
    regions[0].2 = writer::instruction(0, 1_000_000, 2_000_000);
    regions[0].2.truncate(16);
    assert_eq!(fires(&regions), None);
}
