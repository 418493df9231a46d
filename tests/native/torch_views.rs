//! Memory, modules, communication and differences of every case of the truth data: equal, different by a named rule, or wrong.
//! The scoreboard stands in `docs/pytorch-views.md`.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may fail")]

use crate::torch_support::board::{Board, Outcome};
use crate::torch_support::{Case, RULES, Trace};
use crate::torch_views_support::{Check, diff, distributed, memory, modules};
use axonscope::analysis::torch::core::rules::Rules;
use axonscope::analysis::torch::{TorchModel, View};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// Differences of the views that are wanted (`None` is all), by some rules.
fn differences(case: &Case, traces: &[Arc<Trace>], rules: Rules, wanted: Option<&[&str]>) -> BTreeMap<&'static str, Vec<String>> {
    let models: Vec<TorchModel> = traces.iter().map(|t| t.model(rules)).collect();
    let views: Vec<View<'_>> = traces.iter().zip(&models).map(|(trace, model)| trace.view(model)).collect();
    let truth = |name: &str| wanted.is_none_or(|w| w.contains(&name)).then(|| case.answer(name))?;
    let checks: Vec<(&'static str, Check)> = if case.name.starts_with("diff.") {
        diff::check(&views[0], &views[1], &truth)
    } else if case.name.starts_with("dist.") {
        let workers: Vec<_> = views.iter().zip(&case.traces).map(|(view, path)| (worker(case, path, view), *view)).collect();
        distributed::check(&workers, &truth)
    } else {
        memory::check(&views[0], &truth).into_iter().chain(modules::check(&views[0], &truth)).collect()
    };
    checks.into_iter().map(|(view, check)| (view, check.differences)).collect()
}

/// The worker's name, as the answers of a case have it.
fn worker(case: &Case, path: &Path, view: &View<'_>) -> String {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    if case.name.ends_with("_single") {
        return format!("host_{}", view.torch.rank.unwrap().0);
    }
    let name = name.split(".pt.trace").next().unwrap();
    if case.name.starts_with("dist.unit") { name.rsplit('.').next().unwrap().into() } else { name.split('.').next().unwrap().into() }
}

/// What came of each view of a case.
fn outcomes(case: &Case, traces: &[Arc<Trace>]) -> Vec<(&'static str, Outcome)> {
    let era = traces[0].era();
    let ours = differences(case, traces, Rules::of(era), None);
    if ours.values().all(Vec::is_empty) {
        return ours.into_keys().map(|view| (view, Outcome::Equal)).collect();
    }
    let differ: Vec<&str> = ours.iter().filter(|o| !o.1.is_empty()).map(|o| *o.0).collect();
    let as_plugin = differences(case, traces, Rules::PLUGIN, Some(&differ));
    let alone: Vec<_> = RULES
        .iter()
        .map(|(name, toggle)| {
            let mut rules = Rules::PLUGIN;
            toggle(&mut rules);
            (*name, differences(case, traces, rules, Some(&differ)))
        })
        .collect();
    let is_lightning = traces[0].torch().framework == "pytorch-lightning";
    let outcome = |(view, differences): (&'static str, Vec<String>)| {
        let outcome = if differences.is_empty() {
            Outcome::Equal
        } else if view == "tree" && is_lightning {
            Outcome::ByRule(vec!["lightning-tree"])
        } else if !as_plugin[view].is_empty() {
            Outcome::Wrong(as_plugin[view].clone())
        } else {
            let named: Vec<&'static str> = alone.iter().filter(|(_, d)| !d[view].is_empty()).map(|(name, _)| *name).collect();
            Outcome::ByRule(if named.is_empty() { vec!["several together"] } else { named })
        };
        (view, outcome)
    };
    ours.into_iter().map(outcome).collect()
}

#[test]
fn memory_modules_communication_and_differences() {
    let Some(kineto) = crate::common::conformance("kineto") else { return };
    let only = std::env::var("AXONSCOPE_CASE").unwrap_or_default();
    let mut cases = Case::all(&kineto);
    cases.retain(|c| c.name.contains(&only));
    let next = AtomicUsize::new(0);
    let board = Mutex::new(Board::default());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get()) {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let traces: Vec<Arc<Trace>> = case.traces.iter().map(|t| Trace::open(t)).collect();
                    let outcomes = outcomes(case, &traces);
                    let mut board = board.lock().unwrap();
                    outcomes.into_iter().for_each(|(view, outcome)| board.add(&case.name, view, traces[0].era(), outcome));
                }
            });
        }
    });
    let board = board.into_inner().unwrap();
    let markdown = board.markdown();
    println!("{markdown}");
    let wrong = board.wrong();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    if only.is_empty() {
        let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/pytorch-views.md")).unwrap();
        assert!(page.contains(markdown.trim()), "the scoreboard in docs/pytorch-views.md is stale:\n{markdown}");
    }
}
