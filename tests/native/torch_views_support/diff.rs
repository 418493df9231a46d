//! The aligned diff of two traces against the plugin's answers.

use super::{Check, close, number, rows, text};
use axonscope::analysis::torch::View;
use axonscope::analysis::torch::diff::{self, Diff, DiffFigures, DiffSide, OperatorDiff};
use axonscope::base::DurationNs;
use serde_json::Value;

/// Checks a pair of traces.
pub fn check(base: &View<'_>, experiment: &View<'_>, truth: &dyn Fn(&str) -> Option<Value>) -> Vec<(&'static str, Check)> {
    let (base, experiment) = (diff::part(base), diff::part(experiment));
    let mut out = Vec::new();
    for name in ["diff_root", "diff_tree"] {
        let Some(truth) = truth(name) else { continue };
        let mut check = Check::default();
        let mut open: Vec<(&Value, String)> = vec![(&truth, "0".to_string())];
        while let Some((want, path)) = open.pop() {
            let got = diff::diff(&base, &experiment, &path).unwrap();
            node(&mut check, &got, want, &path);
            let children = rows(&want["children"]);
            if want.get("children").is_some() {
                check.same(&format!("{path}: parts"), got.parts.len(), children.len());
            }
            open.extend(children.iter().enumerate().map(|(i, c)| (c, format!("{path}-{i}"))));
        }
        out.push((name, check));
    }
    out
}

fn node(check: &mut Check, got: &Diff, want: &Value, path: &str) {
    type Pick = fn(&OperatorDiff) -> Option<DiffFigures>;
    let sides: [(&DiffSide, &str, Pick); 2] = [(&got.part.base, "left", |o| o.base), (&got.part.experiment, "right", |o| o.experiment)];
    for (side, key, pick) in sides {
        let want = &want[key];
        let us = |got: DurationNs, want: &Value| close(got.0 as f64 / 1e3, number(want), 0.05 + number(want).abs() * 1e-7);
        let is_same = side.name == text(&want["name"])
            && us(side.host, &want["duration"])
            && us(side.device, &want["device_duration"])
            && us(side.total, &want["total_duration"]);
        check.holds(
            || {
                format!(
                    "{path} {key}: {side:?}, expected {} {} {} {}",
                    want["name"], want["duration"], want["device_duration"], want["total_duration"]
                )
            },
            is_same,
        );
        let operators: Vec<_> = got.operators.iter().filter_map(|o| Some((&o.name, pick(o)?))).collect();
        let aggs = rows(&want["aggs"]);
        check.same(&format!("{path} {key}: operators"), operators.len(), aggs.len());
        for want in aggs {
            let found = operators.iter().find(|o| o.0 == text(&want["name"]));
            let is_same = found.is_some_and(|(_, f)| {
                f.calls as f64 == number(&want["calls"])
                    && us(f.host_total, &want["host_duration"])
                    && us(f.device_total, &want["device_duration"])
                    && us(f.host_self, &want["self_host_duration"])
                    && us(f.device_self, &want["self_device_duration"])
            });
            check.holds(|| format!("{path} {key}: {found:?}, expected {want}"), is_same);
        }
    }
}
