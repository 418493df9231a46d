//! Device profiles that are open beside a system profile, and which execution each belongs to.

use crate::analysis::system::ExecutionRow;
use crate::base::TimeRange;
use crate::engine::query::SummaryQuery;
use crate::views::query::latest;
use crate::worker::client::Ask;
use leptos::prelude::*;

/// An open device profile.
#[derive(Clone)]
pub struct Device {
    /// Names its tab.
    pub id: u32,
    /// Its title.
    pub title: String,
    /// Path of its first file below the drop, and its metadata.
    pub words: Vec<String>,
    /// All of it.
    pub range: TimeRange,
    /// Who answers.
    pub ask: Ask,
}

/// Utilization as a device profile records it, shares of one.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Utilization {
    /// Model FLOPs.
    pub mfu: Option<f64>,
    /// Hardware FLOPs.
    pub hfu: Option<f64>,
    /// Memory bandwidth.
    pub mbu: Option<f64>,
}

/// Whether a device profile belongs to executions: its files or its own words name the profile, or the NEFF, that the executions name.
pub fn is_of(words: &[String], row: &ExecutionRow) -> bool {
    let stem = |name: &str| {
        let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let name = [".ntff", ".neff", ".json", "@latest"].iter().find_map(|e| name.strip_suffix(e)).unwrap_or(name);
        name.trim().to_ascii_lowercase()
    };
    // Short words are in too many names.
    let wanted: Vec<String> = [&row.profile, &row.model].into_iter().map(|n| stem(n)).filter(|n| n.len() >= 4).collect();
    words.iter().any(|w| wanted.iter().any(|n| w.to_ascii_lowercase().contains(n.as_str())))
}

/// The utilization of each open device profile, as the answers arrive.
pub(super) fn utilizations(devices: Signal<Vec<Device>>) -> Signal<Vec<(u32, Utilization)>> {
    let found = latest(move || {
        let all = devices.get();
        async move {
            let mut out = Vec::new();
            for device in all {
                // A profile without an answer has no values here; its tab shows the reason.
                if let Ok(s) = device.ask.ask(SummaryQuery { range: None }).await {
                    let value = |names: &[&str]| {
                        names.iter().find_map(|n| {
                            s.metrics.iter().find(|m| m.name == *n)?.file.or_else(|| s.metrics.iter().find(|m| m.name == *n)?.computed)
                        })
                    };
                    let mfu = value(&["mfu_estimated_percent", "mfu_inst_estimated_percent"]);
                    out.push((
                        device.id,
                        Utilization { mfu, hfu: value(&["hfu_estimated_percent"]), mbu: value(&["mbu_estimated_percent"]) },
                    ));
                }
            }
            out
        }
    });
    Signal::derive(move || found.get().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_profile_is_known_by_the_names_in_it() {
        let row = |profile: &str, model: &str| ExecutionRow { profile: profile.into(), model: model.into(), ..ExecutionRow::default() };
        let words = ["run/profile_nc_0_session_3.ntff".to_string(), "/tmp/graph_a.neff".to_string()];
        assert!(is_of(&words, &row("profile_nc_0_session_3", "")));
        assert!(is_of(&words, &row("", "/cache/Graph_A.neff")));
        assert!(!is_of(&words, &row("", "/cache/graph_b.neff")));
        assert!(!is_of(&words, &row("", "nc")));
        assert!(!is_of(&words, &row("", "")));
    }
}
