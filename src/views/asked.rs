//! Questions of a PyTorch trace, also such as several workers answer together; see [`super::ask`].

pub use super::ask::Asked;
use crate::engine::Wire;
use crate::ui::small::with_code;
use crate::worker::client::{Ask, EngineError};
use leptos::prelude::*;
use std::sync::Arc;

impl<T: Send + Sync + 'static> Asked<T> {
    /// Whether there has been no answer yet, and nothing went wrong. Tracked.
    pub fn is_first(self) -> bool {
        self.value.with(Option::is_none) && self.problem.with(Option::is_none)
    }
}

/// Asks `query` whenever it changes; `None` asks nothing. One question at a time: of those that come meanwhile only the last is asked.
pub fn ask_torch<Q: Wire + Send + Sync>(ask: Ask, query: Signal<Option<Q>>) -> Asked<Q::Answer> {
    follow(query, move |query| {
        let ask = ask.clone();
        async move { ask.ask(query).await }
    })
}

/// Runs `work` whenever `given` changes, and keeps what comes of it.
pub fn follow<Q, T, F>(given: Signal<Option<Q>>, work: impl Fn(Q) -> F + Send + Sync + 'static) -> Asked<T>
where
    Q: Clone + PartialEq + Send + Sync + 'static,
    T: Send + Sync + 'static,
    F: Future<Output = Result<T, EngineError>> + 'static,
{
    let (value, problem) = (RwSignal::new(None::<Arc<T>>), RwSignal::new(None::<String>));
    let given = Memo::new(move |_| given.get());
    let answered = RwSignal::new(None::<Q>);
    let reply = LocalResource::new(move || {
        let running = given.get().map(|q| (q.clone(), work(q)));
        async move {
            match running {
                Some((q, work)) => Some((q, work.await.map(Arc::new))),
                None => None,
            }
        }
    });
    Effect::new(move || {
        let Some(Some((query, result))) = reply.get() else { return };
        problem.set(result.as_ref().err().map(ToString::to_string));
        if let Ok(found) = result {
            value.set(Some(found));
        }
        answered.set(Some(query));
    });
    let is_waiting = Memo::new(move |_| given.with(|g| g.is_some() && answered.with(|a| a != g)));
    Asked { value, problem, is_waiting }
}

/// Sentences on what cannot be shown; absent without any.
#[component]
pub fn Notes(
    /// The sentences.
    notes: Signal<Arc<Vec<String>>>,
) -> impl IntoView {
    move || {
        let notes = notes.get();
        (!notes.is_empty()).then(|| {
            let items = notes.iter().map(|n| view! { <li>{with_code(n)}</li> }).collect_view();
            view! { <ul class="torch__notes" data-notes>{items}</ul> }
        })
    }
}
