//! The stack of workers in the colours that the user chose.

use crate::state::App;
use crate::ui::effect::effect;
use crate::views::timeline::aligned::asks::colours;
use crate::views::timeline::aligned::stack::Stack;
use crate::worker::client::Ask;
use crate::worker::protocol::PageColumns;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::sync::Arc;

/// The columns of `stack` with the chosen colours. `asks` are its workers; until they answer, colours are by name.
pub(in crate::app) fn coloured(
    app: App,
    stack: Memo<Option<Arc<Stack>>>,
    asks: impl Fn() -> Vec<Ask> + Send + Sync + 'static,
) -> Signal<Option<Arc<PageColumns>>> {
    let found = RwSignal::new(None::<(String, Arc<PageColumns>)>);
    let n_asked = StoredValue::new(0u32);
    let colour_by = Memo::new(move |_| app.colour_by());
    effect(move || {
        let (by, of) = (colour_by.get(), stack.get());
        let asks = asks();
        n_asked.update_value(|n| *n += 1);
        let asked = n_asked.get_value();
        found.set(None);
        let Some(of) = of.filter(|_| by != "name") else { return };
        spawn_local(async move {
            let mut all = Vec::new();
            for ask in &asks {
                all.push(colours(ask, &by).await);
            }
            if n_asked.try_get_value() == Some(asked) {
                found.set(Some((by, of.coloured(&all))));
            }
        });
    });
    Signal::derive(move || {
        let by = colour_by.get();
        let other = found.get().filter(|f| f.0 == by).map(|f| f.1);
        other.or_else(|| stack.with(|s| s.as_ref().map(|s| s.columns.clone())))
    })
}
