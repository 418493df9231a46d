//! Cores and memory that imports and open profiles may use.

use crate::state::budget::Budget;
use crate::state::{App, AppStateStoreFields as _, OpenProfile};
use crate::views::timeline::aligned::stack::n_bytes;
use leptos::prelude::*;

/// Cores and memory, if the browser reports them.
pub fn budget() -> Budget {
    let navigator = window().navigator();
    // Not every browser has it, and the bindings do not.
    let memory = js_sys::Reflect::get(&navigator, &"deviceMemory".into()).ok().and_then(|m| m.as_f64());
    Budget::new(navigator.hardware_concurrency() as usize, memory)
}

/// Workers that may read the next profile side by side.
pub fn n_readers(app: App) -> u32 {
    let (n_imports, promised) =
        app.state.imports().with_untracked(|all| (all.len(), all.iter().fold(0u64, |sum, i| sum.saturating_add(i.heap_bytes))));
    budget().n_readers(n_imports, open_bytes(app).saturating_add(promised)) as u32
}

/// Memory of the open profiles, and of their tables in the SQL engine, bytes.
pub fn open_bytes(app: App) -> u64 {
    profile_bytes(app).saturating_add(crate::views::sql::engine::bytes())
}

/// Memory of the open profiles, bytes; sleeping ones use none.
pub fn profile_bytes(app: App) -> u64 {
    app.state.profiles().with_untracked(|all| all.iter().filter(|p| p.is_awake()).map(|p| p.memory).sum())
}

/// Why these profiles are not drawn on one clock, if so. Not tracked.
pub fn refused_stack(app: App, ids: &[u32]) -> Option<String> {
    let columns = |all: &Vec<OpenProfile>| n_bytes(all.iter().filter(|p| ids.contains(&p.id)).map(|p| &*p.columns));
    budget().refused_copies(app.state.profiles().with_untracked(columns))
}
