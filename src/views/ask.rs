//! One question of a view: asked again whenever it changes, one at a time, the last good answer kept meanwhile.

use crate::engine::Wire;
use crate::worker::client::Ask;
use leptos::prelude::*;
use std::sync::Arc;

/// A question's answer so far.
pub struct Asked<T: Send + Sync + 'static> {
    /// The last good answer.
    pub value: RwSignal<Option<Arc<T>>>,
    /// Why there is no newer one.
    pub problem: RwSignal<Option<String>>,
    /// Whether an answer is awaited.
    pub is_waiting: Memo<bool>,
}

impl<T: Send + Sync + 'static> Clone for Asked<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Send + Sync + 'static> Copy for Asked<T> {}

/// Asks what `query` says; `None` asks nothing and forgets the answer.
pub fn asked<Q: Wire + Send + Sync>(ask: Ask, query: Signal<Option<Q>>) -> Asked<Q::Answer> {
    let (value, problem, answered) = (RwSignal::new(None), RwSignal::new(None), RwSignal::new(None::<Option<Q>>));
    let reply = LocalResource::new(move || {
        let (ask, query) = (ask.clone(), query.get());
        async move {
            let result = match query.clone() {
                Some(query) => ask.ask(query).await.map(Some),
                None => Ok(None),
            };
            (query, result.map(|r| r.map(Arc::new)))
        }
    });
    Effect::new(move |_| {
        let Some((query, result)) = reply.get() else { return };
        problem.set(result.as_ref().err().map(ToString::to_string));
        if let Ok(found) = result {
            value.set(found);
        }
        answered.set(Some(query));
    });
    let is_waiting = Memo::new(move |_| answered.with(|a| a.as_ref() != Some(&*query.read())));
    Asked { value, problem, is_waiting }
}

impl<T: Send + Sync + 'static> Asked<T> {
    /// Something made of the last good answer; the default before there is one.
    pub fn derive<R: Default + Send + Sync + 'static>(self, make: impl Fn(&T) -> R + Send + Sync + 'static) -> Signal<Arc<R>> {
        Memo::new_with_compare(
            move |_| Arc::new(self.value.get().map_or_else(R::default, |v| make(&v))),
            |a, b| !matches!((a, b), (Some(a), Some(b)) if Arc::ptr_eq(a, b)),
        )
        .into()
    }
}
