//! The distributed view against the plugin's answers.

use super::{Check, ask, close, number, rows, text};
use axonscope::analysis::torch::View;
use axonscope::analysis::torch::distributed::{Distributed, DistributedPart, DistributedPartQuery};
use axonscope::base::DurationNs;
use axonscope::engine::query::DistributedQuery;
use serde_json::Value;

/// Checks the workers of a run: (name, trace). Waiting and moving data are not compared where there is one worker: the plugin takes all for moving.
pub fn check(workers: &[(String, View<'_>)], truth: &dyn Fn(&str) -> Option<Value>) -> Vec<(&'static str, Check)> {
    let part = |(worker, view): &(String, View<'_>)| ask(view, DistributedPartQuery { worker: worker.clone(), span: String::new() });
    let parts: Vec<DistributedPart> = workers.iter().map(part).collect();
    let got = ask(&workers[0].1, DistributedQuery { parts });
    let mut out = Vec::new();
    type One = fn(&Distributed, &Value) -> Check;
    let views: [(&'static str, One); 4] = [("gpu_info", devices), ("overlap", overlap), ("waittime", wait), ("commops", operations)];
    for (name, view) in views {
        if let Some(truth) = truth(name) {
            out.push((name, view(&got, &truth)));
        }
    }
    out
}

/// Whether a time is what is printed; a whole number is a truncated mean or an exact one.
fn us(got: DurationNs, want: &Value) -> bool {
    let us = got.0 as f64 / 1e3;
    let want = number(want);
    close(us, want, 0.01 + want.abs() * 1e-6) || want.fract() == 0.0 && us.trunc() == want
}

fn devices(got: &Distributed, truth: &Value) -> Check {
    let mut check = Check::default();
    if truth.is_null() {
        // The plugin shows nothing where the trace has no properties; we list the devices that were used, and nothing of them.
        let devices = got.nodes.iter().flat_map(|n| &n.processes).flat_map(|p| &p.devices);
        check.same("devices", devices.filter(|d| d.name.is_some() || d.memory_bytes.is_some()).count(), 0);
        return check;
    }
    for (node, processes) in truth["data"].as_object().into_iter().flatten() {
        for (process, devices) in processes.as_object().into_iter().flatten() {
            let found = got.nodes.iter().find(|n| n.name == *node).and_then(|n| n.processes.iter().find(|p| p.name == *process));
            let Some(found) = found else {
                check.wrong(format!("no {process} on {node}: {:?}", got.nodes));
                continue;
            };
            let names: Vec<String> = found.devices.iter().map(|d| format!("GPU{}", d.id)).collect();
            let mut want: Vec<String> = devices.as_object().map(|d| d.keys().cloned().collect()).unwrap_or_default();
            want.sort();
            check.same(&format!("devices of {process}"), names, want);
            for device in &found.devices {
                let want = &devices[format!("GPU{}", device.id)];
                let recorded = |key: &str| want.get(key).map(text).unwrap_or_default().to_string();
                check.same("name", device.name.clone().unwrap_or_default(), recorded("Name"));
                check.same("memory", device.memory_bytes.map(|b| b as f64), want.get("Memory Raw").map(number));
                check.same("compute", device.compute.map_or(String::new(), |c| format!("{}.{}", c.0, c.1)), recorded("Compute Capability"));
            }
        }
    }
    check
}

/// Of two steps of one name the plugin keeps the later one.
fn overlap(got: &Distributed, truth: &Value) -> Check {
    let mut check = Check::default();
    for (step, workers) in truth["data"].as_object().into_iter().flatten() {
        for (worker, want) in workers.as_object().into_iter().flatten() {
            let found =
                got.workers.iter().find(|w| w.worker == *worker).and_then(|w| {
                    if step == "all" { Some(w.overlap) } else { w.overlap_steps.iter().rfind(|s| s.0 == *step).map(|s| s.1) }
                });
            let is_same = found.is_some_and(|t| {
                us(t.computation_only, &want[0]) && us(t.overlap, &want[1]) && us(t.communication_only, &want[2]) && us(t.other, &want[3])
            });
            check.holds(|| format!("step {step} of {worker}: {found:?}, expected {want}"), is_same);
        }
    }
    check
}

fn wait(got: &Distributed, truth: &Value) -> Check {
    let mut check = Check::default();
    if got.workers.len() == 1 {
        check.holds(|| "one worker has no waiting".into(), got.workers[0].wait.is_none() && !got.notes.is_empty());
        return check;
    }
    for (step, workers) in truth["data"].as_object().into_iter().flatten() {
        for (worker, want) in workers.as_object().into_iter().flatten() {
            let found = got
                .workers
                .iter()
                .find(|w| w.worker == *worker)
                .and_then(|w| if step == "all" { w.wait } else { w.wait_steps.iter().rfind(|s| s.0 == *step).map(|s| s.1) });
            let is_same = found.is_some_and(|t| us(t.transfer, &want[0]) && us(t.synchronizing, &want[1]));
            check.holds(|| format!("step {step} of {worker}: {found:?}, expected {want}"), is_same);
        }
    }
    check
}

fn operations(got: &Distributed, truth: &Value) -> Check {
    let mut check = Check::default();
    for (worker, table) in truth["data"].as_object().into_iter().flatten() {
        let Some(found) = got.workers.iter().find(|w| w.worker == *worker) else {
            check.wrong(format!("no worker {worker}"));
            continue;
        };
        let want = rows(&table["rows"]);
        let names = |rows: Vec<String>| rows;
        check.same(
            &format!("operations of {worker}"),
            found.operations.iter().map(|o| o.name.clone()).collect::<Vec<_>>(),
            names(want.iter().map(|r| text(&r[0]).to_string()).collect()),
        );
        for (row, want) in found.operations.iter().zip(want) {
            let is_same = row.calls as f64 == number(&want[1])
                && row.size_bytes.unwrap_or(0) as f64 == number(&want[2])
                && row.mean_size_bytes.unwrap_or(0) as f64 == number(&want[3])
                && us(row.latency, &want[4])
                && close(row.mean_latency.0 as f64 / 1e3, number(&want[5]), 0.501)
                && (got.workers.len() == 1 || row.transfer.is_some_and(|t| us(t, &want[6])))
                && (got.workers.len() == 1 || row.mean_transfer.is_some_and(|t| close(t.0 as f64 / 1e3, number(&want[7]), 0.501)));
            check.holds(|| format!("{worker}: {row:?}, expected {want}"), is_same);
        }
    }
    check
}
