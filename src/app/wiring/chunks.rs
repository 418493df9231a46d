//! Chunks of the page's program: each has some views and is loaded when one of them is first shown, or while the page is idle.
//!
//! With the feature `split`, `wasm_split_helpers` marks the functions of a chunk, and `scripts/split.mjs` cuts the linked program at them. Without it
//! (tests, linters) everything is one program and a chunk is always there.

use crate::app::wiring::front::Front;
use futures_util::FutureExt as _;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::cell::RefCell;
use std::collections::HashSet;
use std::future::Future;
use std::pin::Pin;
pub(in crate::app) use wasm_split_helpers::SplitLoaderError as LoadError;

/// What a function of a chunk gives once its chunk is loaded.
pub(in crate::app) type Loading<T> = Pin<Box<dyn Future<Output = Result<T, LoadError>>>>;

/// Lists the views of a chunk: each becomes a [`Later`].
macro_rules! chunk {
    ($chunk:ident: $($name:ident $id:ident = $make:path;)*) => { $(
        mod $name {
            use super::*;

            #[cfg(feature = "split")]
            #[wasm_split_helpers::wasm_split($chunk, fallible, preload(load))]
            pub(in crate::app) fn $name(front: Front) -> Result<AnyView, LoadError> {
                Ok($make(front))
            }
            #[cfg(not(feature = "split"))]
            pub(in crate::app) async fn $name(front: Front) -> Result<AnyView, LoadError> {
                Ok($make(front))
            }
            #[cfg(not(feature = "split"))]
            pub(in crate::app) async fn load() -> Result<(), LoadError> {
                Ok(())
            }
        }
        static $id: Later = Later { load: || Box::pin($name::load()), make: |front| Box::pin($name::$name(front)) };
    )* };
}
pub(in crate::app) use chunk;

/// A view whose code is in a chunk.
pub(in crate::app) struct Later {
    /// Loads the chunk.
    pub load: fn() -> Loading<()>,
    /// Makes the view; ready at once after `load` has ended well.
    pub make: fn(Front) -> Loading<AnyView>,
}

/// How a view is made.
#[derive(Clone, Copy)]
pub(in crate::app) enum Mount {
    /// Mounted by code of the program that is there from the start.
    Here(fn(Front) -> AnyView),
    /// Mounted by code of a chunk.
    Later(&'static Later),
}

/// State of the loads, of all views together.
#[derive(Clone)]
struct Loads {
    /// Number of loads with a waiting view.
    n_running: ArcRwSignal<usize>,
    /// Rises when such a load has ended.
    n_ended: ArcRwSignal<usize>,
    /// Whether the latest one failed.
    has_failed: ArcRwSignal<bool>,
}

thread_local! {
    // Has no owner: loaded chunks outlive views.
    static LOADS: Loads = Loads { n_running: ArcRwSignal::new(0), n_ended: ArcRwSignal::new(0), has_failed: ArcRwSignal::new(false) };
    /// Views with a loaded chunk.
    static LOADED: RefCell<HashSet<*const Later>> = RefCell::default();
}

/// Number of loads with a waiting view. Tracked.
pub(in crate::app) fn n_running() -> usize {
    LOADS.with(|l| l.n_running.get())
}

/// Whether no view waits for a load.
pub(in crate::app) fn is_quiet() -> bool {
    LOADS.with(|l| l.n_running.with_untracked(|n| *n == 0))
}

/// Loads the chunk of a view; what shows the view is made again when it is there.
fn load(view: &'static Later) {
    let loads = LOADS.with(Clone::clone);
    loads.n_running.update(|n| *n += 1);
    spawn_local(async move {
        loads.has_failed.set(!loaded(view).await);
        loads.n_ended.update(|n| *n += 1);
        loads.n_running.update(|n| *n -= 1);
    });
}

/// Loads the chunks of views one after the other, before they are shown. A chunk that failed is loaded again when its view is shown.
pub(in crate::app) fn prefetch(views: Vec<&'static Later>) {
    spawn_local(async move {
        for view in views {
            loaded(view).await;
        }
    });
}

/// Loads; returns whether the chunk is there.
async fn loaded(view: &'static Later) -> bool {
    let is_there = LOADED.with_borrow(|all| all.contains(&std::ptr::from_ref(view))) || (view.load)().await.is_ok();
    if is_there {
        LOADED.with_borrow_mut(|all| all.insert(std::ptr::from_ref(view)));
    }
    is_there
}

/// The view, or a placeholder until its chunk is loaded. Tracked while it waits.
pub(in crate::app) fn mounted(mount: Mount, front: Front) -> AnyView {
    let view = match mount {
        Mount::Here(make) => return make(front),
        Mount::Later(view) => view,
    };
    // Without the feature `split` a chunk is there before it is asked for.
    let is_there = cfg!(not(feature = "split")) || LOADED.with_borrow(|all| all.contains(&std::ptr::from_ref(view)));
    if let Some(Ok(made)) = is_there.then(|| (view.make)(front).now_or_never()).flatten() {
        return made;
    }
    let loads = LOADS.with(Clone::clone);
    loads.n_ended.track();
    if loads.has_failed.get_untracked() {
        // The next time it is shown, it is tried again.
        loads.has_failed.set(false);
        view! { <p class="notice notice--danger" role="alert">"This view could not be loaded. Check the connection, then show it again."</p> }.into_any()
    } else {
        load(view);
        view! { <p class="waiting" role="status">"Loading this view…"</p> }.into_any()
    }
}
