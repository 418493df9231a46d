//! The tensors that transfers of a subgraph name by number.

use super::Neff;
use rustc_hash::FxHashMap;
use serde_json::Value;

/// A variable of the compiler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Variable {
    pub name: String,
    /// `state-buffer`, `input`, `output`, `file`, `virtual`.
    pub kind: String,
}

/// The variables of a subgraph.
#[derive(Debug, Default)]
pub(crate) struct Variables {
    by_id: FxHashMap<u64, Variable>,
    /// Ids of the entries of the table that transfers index; `None` if there are several tables.
    table: Option<Vec<u64>>,
}

impl Variables {
    /// Reads those of `subgraph` (`sg00`); empty where the NEFF does not define it.
    pub fn of(neff: &Neff, subgraph: &str) -> Self {
        let definition = neff.archive.file(&format!("{subgraph}/def.json"));
        let definition = definition.and_then(|bytes| serde_json::from_slice::<Value>(bytes).ok());
        let variables = definition.as_ref().and_then(|d| d.get("var")).and_then(Value::as_object);
        let mut out = Variables::default();
        let mut tables = Vec::new();
        for (name, variable) in variables.into_iter().flatten() {
            let kind = variable.get("type").and_then(Value::as_str).unwrap_or_default();
            if let Some(id) = variable.get("var_id").and_then(Value::as_u64) {
                out.by_id.insert(id, Variable { name: name.clone(), kind: kind.into() });
            }
            if kind == "dge-table" {
                let list = variable.get("list").and_then(Value::as_array);
                tables.push(list.into_iter().flatten().map(|id| id.as_u64().unwrap_or(u64::MAX)).collect());
            }
        }
        out.table = if tables.len() == 1 { tables.pop() } else { None };
        out
    }

    /// The variable of that id.
    pub fn get(&self, id: u32) -> Option<&Variable> {
        self.by_id.get(&id.into())
    }

    /// The variable of an entry of the table.
    pub fn of_table(&self, index: u32) -> Option<&Variable> {
        self.by_id.get(self.table.as_ref()?.get(index as usize)?)
    }
}
