//! Ids of tabs, imports and notices.

use super::{App, AppStateStoreFields as _};
use leptos::prelude::*;

/// An id that no tab, import or notice has.
pub fn new_id(app: App) -> u32 {
    app.state.n_ids().update(|n| *n += 1);
    app.state.n_ids().get_untracked()
}
