//! Questions of a view: repeated when they change, one at a time; the last good answer is shown until the next.
//!
//! Every resource, memo and effect is compiled once for each type and closure it is made of. What all questions share is therefore
//! behind boxed functions: it is in the page's program once.

use crate::engine::{EncodedAnswer, EncodedQuery, Wire};
use crate::worker::client::{Ask, EngineError};
use futures_util::future::LocalBoxFuture;
use leptos::prelude::*;
use std::rc::Rc;
use std::sync::Arc;

/// A question's answer so far.
pub struct QueryState<T: Send + Sync + 'static> {
    /// The last good answer.
    pub value: RwSignal<Option<Arc<T>>>,
    /// Why there is no newer one.
    pub problem: RwSignal<Option<String>>,
    /// Whether an answer is awaited.
    pub is_waiting: Memo<bool>,
}

impl<T: Send + Sync + 'static> Clone for QueryState<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Send + Sync + 'static> Copy for QueryState<T> {}

impl<T: Send + Sync + 'static> QueryState<T> {
    /// Something made of the last good answer; the default before there is one.
    pub fn derive<R: Default + Send + Sync + 'static>(self, make: impl Fn(&T) -> R + Send + Sync + 'static) -> Signal<Arc<R>> {
        Memo::new_with_compare(
            move |_| Arc::new(self.value.get().map_or_else(R::default, |v| make(&v))),
            |a, b| !matches!((a, b), (Some(a), Some(b)) if Arc::ptr_eq(a, b)),
        )
        .into()
    }

    /// Whether there has been no answer yet, and nothing went wrong. Tracked.
    pub fn is_first(self) -> bool {
        self.value.with(Option::is_none) && self.problem.with(Option::is_none)
    }
}

/// Asks the question in `query`; `None` clears the answer.
pub fn use_query<Q: Wire + Send + Sync>(ask: Ask, query: Signal<Option<Q>>) -> QueryState<Q::Answer> {
    let value = RwSignal::new(None::<Arc<Q::Answer>>);
    let keep = move |answer: Option<EncodedAnswer>| {
        let found = match answer {
            Some(answer) => Some(Arc::new(answer.read::<Q>()?)),
            None => None,
        };
        value.try_set(found);
        Ok(())
    };
    let (problem, is_waiting) = wait(ask, Box::new(move || query.with(|q| q.as_ref().map(EncodedQuery::of))), Rc::new(keep));
    QueryState { value, problem, is_waiting }
}

/// Stores an answer, or that there is none.
type Keep = Rc<dyn Fn(Option<EncodedAnswer>) -> Result<(), EngineError>>;

/// [`use_query`] without the types of question and answer.
fn wait(ask: Ask, read: Box<dyn Fn() -> Option<EncodedQuery> + Send + Sync>, keep: Keep) -> (RwSignal<Option<String>>, Memo<bool>) {
    let query = Memo::new(move |_| read());
    let (problem, answered) = (RwSignal::new(None), RwSignal::new(None::<EncodedQuery>));
    run_latest(move || {
        let (ask, query, keep) = (ask.clone(), query.get(), keep.clone());
        async move {
            let result = match query.clone() {
                Some(query) => ask.forward(query).await.and_then(|answer| keep(Some(answer))),
                None => keep(None),
            };
            problem.try_set(result.err().map(|e| e.to_string()));
            answered.try_set(query);
        }
    });
    (problem, Memo::new(move |_| query.with(|q| q.is_some() && answered.with(|a| a != q))))
}

/// Runs `work` whenever `given` changes and stores the result; `None` keeps the previous one.
pub fn follow<Q, T, F>(given: Signal<Option<Q>>, work: impl Fn(Q) -> F + Send + Sync + 'static) -> QueryState<T>
where
    Q: Clone + PartialEq + Send + Sync + 'static,
    T: Send + Sync + 'static,
    F: Future<Output = Result<T, EngineError>> + 'static,
{
    let (value, problem) = (RwSignal::new(None::<Arc<T>>), RwSignal::new(None::<String>));
    let given = Memo::new(move |_| given.get());
    let answered = RwSignal::new(None::<Q>);
    run_latest(move || {
        let running = given.get().map(|q| (q.clone(), work(q)));
        async move {
            let Some((query, work)) = running else { return };
            let result = work.await;
            problem.try_set(result.as_ref().err().map(ToString::to_string));
            if let Ok(found) = result {
                value.try_set(Some(Arc::new(found)));
            }
            answered.try_set(Some(query));
        }
    });
    let is_waiting = Memo::new(move |_| given.with(|g| g.is_some() && answered.with(|a| a != g)));
    QueryState { value, problem, is_waiting }
}

/// The last result of `start`, which runs again whenever its signals change. `None` before the first result.
pub fn latest<T: Send + Sync + 'static, F: Future<Output = T> + 'static>(start: impl Fn() -> F + 'static) -> RwSignal<Option<T>> {
    let value = RwSignal::new(None);
    run_latest(move || {
        let running = start();
        async move {
            value.try_set(Some(running.await));
        }
    });
    value
}

/// Runs the future of `start`, again whenever its signals change. One at a time; of the changes during a run only the last counts.
pub fn run_latest<F: Future<Output = ()> + 'static>(start: impl Fn() -> F + 'static) {
    run_boxed(Box::new(move || Box::pin(start())));
}

/// [`run_latest`], compiled once. The resource has no value: a future writes its own.
fn run_boxed(start: Box<dyn Fn() -> LocalBoxFuture<'static, ()>>) {
    LocalResource::new(start);
}
