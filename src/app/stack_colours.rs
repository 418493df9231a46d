//! The stack of workers in the colours that the user chose.

use super::stacked::Stacked;
use crate::state::App;
use crate::ui::effect::effect;
use crate::views::timeline::aligned::asks::colours;
use crate::worker::protocol::HotColumns;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::sync::Arc;

/// The columns of the stack; by name until the workers have answered for another column.
pub(super) fn coloured(app: App, stacked: Stacked) -> Signal<Option<Arc<HotColumns>>> {
    let found = RwSignal::new(None::<(String, Arc<HotColumns>)>);
    let n_asked = StoredValue::new(0u32);
    let colour_by = Memo::new(move |_| app.colour_by());
    effect(move || {
        let (by, stack) = (colour_by.get(), stacked.stack.get());
        let asks = stacked.asks(app);
        n_asked.update_value(|n| *n += 1);
        let asked = n_asked.get_value();
        found.set(None);
        let Some(stack) = stack.filter(|_| by != "name") else { return };
        spawn_local(async move {
            let mut all = Vec::new();
            for ask in &asks {
                all.push(colours(ask, &by).await);
            }
            if n_asked.try_get_value() == Some(asked) {
                found.set(Some((by, stack.coloured(&all))));
            }
        });
    });
    Signal::derive(move || {
        let by = colour_by.get();
        let other = found.get().filter(|f| f.0 == by).map(|f| f.1);
        other.or_else(|| stacked.stack.with(|s| s.as_ref().map(|s| s.hot.clone())))
    })
}
