//! Members to claims, keys to meanings, planes to rows.

use super::*;
use crate::base::Member;
use crate::formats::import;
use crate::model::Domain;

fn drop_of(files: &[(&str, &str)]) -> InputSet {
    InputSet { members: files.iter().map(|(name, text)| Member::from_bytes(*name, text.as_bytes().to_vec())).collect() }
}

const OPS: &str = r#"{"ops": [{"Op Name": "aten__addmm_dot", "Occurrences": 2, "Time (ns)": 279}], "total_time": 279}"#;
const TIMELINE: &str = r#"{"neuronStartTimestampNs": 5, "traceEvents": [{"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"Framework Ops"}},{"ph":"X","pid":1,"tid":2,"ts":1,"dur":1,"name":"a.1"}]}"#;

#[test]
fn members_of_a_run_are_one_claim() {
    let runs = ["logs/plugins/neuron/a", "other/plugins/neuron/a", "logs/temp_profiler_logs/5f"];
    let mut files: Vec<(String, &str)> = Vec::new();
    for run in runs {
        files.push((format!("{run}/neuron_framework_op.json"), OPS));
        files.push((format!("{run}/neuron_op_timeline.json"), TIMELINE));
    }
    files.push((
        "logs/plugins/neuron/a/neuron_trace.json".into(),
        r#"{"traceEvents":[{"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"NeuronDevice Execution"}}]}"#,
    ));
    let named: Vec<(&str, &str)> = files.iter().map(|f| (f.0.as_str(), f.1)).collect();
    let heads = import::heads(&drop_of(&named)).expect("heads");
    let mut claims: Vec<Vec<usize>> = TensorboardNeuron.claim(&heads, &[]).into_iter().map(|c| c.members).collect();
    claims.sort();
    assert_eq!(claims, [vec![1, 0], vec![3, 2], vec![5, 4], vec![6]]);
}

#[test]
fn one_kind_twice_in_a_directory_is_two_runs() {
    let heads = import::heads(&drop_of(&[("a.json", TIMELINE), ("b.json", TIMELINE), ("c.json", OPS)])).expect("heads");
    assert_eq!(TensorboardNeuron.claim(&heads, &[]).len(), 2);
    let kineto = r#"{"traceEvents":[{"ph":"X","pid":1,"tid":2,"ts":1,"dur":1,"name":"a"}]}"#;
    let heads = import::heads(&drop_of(&[("t.json", kineto)])).expect("heads");
    assert_eq!(TensorboardNeuron.claim(&heads, &[]).len(), 0);
}

fn table(text: &str) -> (crate::model::neuron_log::OpTable, Ledger) {
    let outcome = import::import(&drop_of(&[("neuron_hlo_op.json", text)])).expect("claimed").remove(0).1;
    let (imported, _) = outcome.expect("opens");
    let Domain::NeuronLog(log) = imported.profile.domain else { panic!("a log") };
    (log.hlo.expect("a table"), imported.ledger)
}

#[test]
fn units_come_from_key_value_or_label() {
    let time = |text: &str| table(text).0.rows[0].time_ns;
    assert_eq!(time(r#"{"ops":[{"name":"dot","duration_us":1.5}],"total_time":1}"#), Some(1_500));
    assert_eq!(time(r#"{"ops":[{"name":"dot","time":"2 ms"}],"total_time":1}"#), Some(2_000_000));
    assert_eq!(time(r#"{"ops":[{"name":"dot","time":7}],"total_time":7}"#), Some(7));
    let (t, ledger) = table(r#"{"ops":[{"name":"dot","time":0.5,"engine":"PE"}],"total_time":0.5}"#);
    assert_eq!((t.rows[0].time_ns, t.has_time, t.columns), (None, false, vec!["engine".to_string()]));
    assert!(ledger.skipped.iter().any(|s| s.kind == "unknown_unit"));
    let (_, ledger) = table(r#"{"ops":[{"name":"dot","time":7}],"total_time":8}"#);
    assert!(ledger.skipped.iter().any(|s| s.kind == "total_mismatch"), "{ledger:?}");
}

#[test]
fn a_directory_without_profiles_names_likely_causes() {
    let sentence = import::import(&drop_of(&[("logs/plugins/neuron/a/readme.txt", "nothing")])).expect_err("nothing").to_string();
    assert!(sentence.contains("traced_only") && sentence.contains("2.6"), "{sentence}");
    let sentence = import::import(&drop_of(&[("neuron_op_timeline.json", r#"{"neuronStartTimestampNs":1,"traceEvents":[]}"#)]))
        .expect("claimed")
        .remove(0)
        .1
        .expect_err("empty");
    assert!(sentence.to_string().contains("traced_only"), "{sentence}");
}
