//! Layers and the roofline of a Neuron run, against the file's own figures.
#![cfg(not(target_arch = "wasm32"))]

mod neuron_support;

use axonscope::formats::Imported;
use axonscope::model::{Domain, NeuronDevice};
use neuron_support::*;

const RUNS: [(&str, &str); 2] = [("fused_attention", "fused"), ("baseline_attention", "baseline")];

/// The profile and the same file as a tree of values.
fn run(run: &str, stem: &str) -> Option<(Imported, serde_json::Value)> {
    let named = file(&conformance()?, run, &format!("{stem}_exec_2_profile_full.json"));
    let json = serde_json::from_slice(&named.1).expect("JSON");
    Some((import_one(&[named]).expect("the JSON opens"), json))
}

fn device(imported: &Imported) -> &NeuronDevice {
    match &imported.profile.domain {
        Domain::NeuronDevice(device) => device,
        _ => panic!("a Neuron profile has a Neuron domain"),
    }
}

#[test]
fn columns_of_instructions_add_up_to_the_summary() {
    for (folder, stem) in RUNS {
        let Some((imported, json)) = run(folder, stem) else {
            return;
        };
        let (d, summary) = (device(&imported), &json["summary"][0]);
        assert_eq!(imported.profile.check(), Ok(()));
        let told = |column: &[u32]| column.iter().filter(|v| **v != NeuronDevice::ABSENT).map(|v| u64::from(*v)).sum::<u64>();
        let number = |key: &str| summary[key].as_u64().expect("a number");
        assert_eq!(2 * told(&d.elements), number("hardware_flops"), "{folder}");
        assert_eq!(told(&d.sbuf_bytes), number("sbuf_read_bytes") + number("sbuf_write_bytes"), "{folder}");
        assert_eq!(d.hbm.iter().map(|h| h.read).sum::<u64>(), number("hbm_read_bytes"), "{folder}");
        assert_eq!(d.hbm.iter().map(|h| h.written).sum::<u64>(), number("hbm_write_bytes"), "{folder}");
        let types = imported.profile.attribute("queue_type").expect("a queue type");
        let n = types.values.iter().filter(|v| imported.profile.strings.get(**v) == "software_dynamic").count();
        assert_eq!(n as u64, number("software_dynamic_dma_packet_count"), "{folder}");
    }
}

#[test]
fn a_trace_tells_no_elements() {
    let Some(folder) = conformance() else {
        return;
    };
    let trace = import_one(&[file(&folder, "fused_attention", "fused_exec_2.ntff")]).expect("the trace opens");
    let d = device(&trace);
    assert!(d.elements.iter().chain(&d.sbuf_bytes).all(|v| *v == NeuronDevice::ABSENT) && d.hbm.is_empty());
    assert!(trace.profile.meta.not_available.iter().any(|n| n.contains("FLOPs")));
}
