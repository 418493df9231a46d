//! Names of activation functions by their id, from the tables that a NEFF brings for the scalar engine.

use super::Neff;
use crate::base::{Ledger, Order as _, Severity};
use serde_json::Value;
use std::collections::BTreeMap;

/// How the members with the names end.
pub(super) const MEMBER: &str = "_and_others.json";

/// (id, name as neuron-profile prints it). An id with two names has none.
pub(crate) fn functions(neff: &Neff, ledger: &mut Ledger) -> Vec<(u8, String)> {
    let mut found: BTreeMap<u8, Option<String>> = BTreeMap::new();
    let mut members: Vec<&String> = neff.archive.files.keys().filter(|name| name.ends_with(MEMBER)).collect();
    members.order();
    for member in members {
        let Some(rows) = neff.archive.file(member).and_then(|bytes| serde_json::from_slice::<Value>(bytes).ok()) else {
            let reason = "A member that should be a JSON object is not readable as one.";
            ledger.skip(Severity::Warning, "unreadable_member", reason, 0, || member.clone());
            continue;
        };
        for row in rows.get("profile_meta_data").and_then(Value::as_array).into_iter().flatten() {
            let id = row.get("func_id").and_then(Value::as_u64).and_then(|id| u8::try_from(id).ok());
            let name = row.get("func_name").and_then(Value::as_str).map(printed);
            if let Some((id, name)) = id.zip(name) {
                let entry = found.entry(id).or_insert_with(|| Some(name.clone()));
                *entry = entry.take().filter(|known| *known == name);
            }
        }
    }
    found.into_iter().filter_map(|(id, name)| Some((id, name?))).collect()
}

/// `exp_400p` → `EXP`: without the number of its points.
fn printed(name: &str) -> String {
    let is_points = |end: &str| end.strip_suffix('p').is_some_and(|n| !n.is_empty() && n.bytes().all(|c| c.is_ascii_digit()));
    let plain = name.rsplit_once('_').filter(|(_, end)| is_points(end)).map_or(name, |(plain, _)| plain);
    plain.to_ascii_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_the_number_of_points() {
        assert_eq!(printed("exp_400p"), "EXP");
        assert_eq!(printed("leaky_relu_2p"), "LEAKY_RELU");
        assert_eq!(printed("memset_zero"), "MEMSET_ZERO");
        assert_eq!(printed("p_p"), "P_P");
    }
}
