//! DuckDB in a worker of its own: its files are fetched when the first query is run. Messages are those of `@duckdb/duckdb-wasm`; its JavaScript
//! library is not used, since it reads results by code made from strings, which the policy of the page forbids.

use super::error::BrowserError;
use futures_channel::oneshot;
use js_sys::{Array, Object, Reflect, Uint8Array};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{ErrorEvent, MessageEvent, Worker};

/// Folder of the engine's files; scripts/post-build.mjs puts them there.
const FOLDER: &str = "duckdb";
/// Before the first query: nothing is fetched from anywhere, and no file is read or written.
const SETTINGS: [&str; 5] = [
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET enable_external_access = false",
    "SET memory_limit = '2GB'",
    "SET lock_configuration = true",
];

/// Why the engine has no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DuckDbError {
    /// The page has not the engine's files.
    #[error("The SQL engine could not be loaded. It is fetched when it is first used: connect to the network once, then try again.")]
    NotLoaded,
    /// The engine was ended.
    #[error("The SQL engine has stopped. Run the query again to start it.")]
    Stopped,
    /// The browser could not send the question.
    #[error(transparent)]
    Browser(#[from] BrowserError),
    /// The engine's own message, several lines where it points into the query.
    #[error("{0}")]
    Engine(String),
}

type Waiting = Rc<RefCell<HashMap<u32, oneshot::Sender<Result<JsValue, DuckDbError>>>>>;

/// A running engine with one connection. Dropping it ends the worker and returns its memory.
pub struct Engine {
    worker: Worker,
    waiting: Waiting,
    n_asked: Cell<u32>,
    is_stopped: Cell<bool>,
    connection: Cell<f64>,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(ErrorEvent)>,
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.stop();
    }
}

fn get(of: &JsValue, key: &str) -> JsValue {
    Reflect::get(of, &key.into()).unwrap_or(JsValue::UNDEFINED)
}

impl Engine {
    /// Starts the engine; `on_bytes` gets the number of bytes loaded so far.
    pub async fn start(on_bytes: impl Fn(u64) + 'static) -> Result<Engine, DuckDbError> {
        let worker = Worker::new(&format!("./{FOLDER}/duckdb-browser-eh.worker.js")).map_err(|_| DuckDbError::NotLoaded)?;
        let waiting = Waiting::default();
        let on_message = {
            let waiting = waiting.clone();
            Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| receive(&event.data(), &waiting, &on_bytes))
        };
        let on_error = {
            let waiting = waiting.clone();
            Closure::<dyn FnMut(ErrorEvent)>::new(move |_: ErrorEvent| {
                // Whoever waits learns that nothing comes.
                waiting.borrow_mut().clear();
            })
        };
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        let out = Engine {
            worker,
            waiting,
            n_asked: Cell::new(0),
            is_stopped: Cell::new(false),
            connection: Cell::new(0.0),
            _on_message: on_message,
            _on_error: on_error,
        };
        let base = get(&get(&js_sys::global(), "document"), "baseURI").as_string().unwrap_or_default();
        let program = web_sys::Url::new_with_base(&format!("{FOLDER}/duckdb-eh.wasm"), &base).map_err(|_| DuckDbError::NotLoaded)?;
        out.ask("INSTANTIATE", &Array::of2(&program.href().into(), &JsValue::NULL)).await.map_err(|_| DuckDbError::NotLoaded)?;
        let config = Object::new();
        let set = |key: &str, value: &JsValue| Reflect::set(&config, &key.into(), value).map(|_| ()).map_err(|_| DuckDbError::NotLoaded);
        set("path", &":memory:".into())?;
        set("query", &Object::new())?;
        out.ask("OPEN", &config).await?;
        out.connection.set(out.ask("CONNECT", &JsValue::NULL).await?.as_f64().unwrap_or(0.0));
        for setting in SETTINGS {
            out.run(setting).await?;
        }
        Ok(out)
    }

    /// Ends it at once: who waits for an answer gets none.
    pub fn stop(&self) {
        self.is_stopped.set(true);
        self.worker.terminate();
        self.waiting.borrow_mut().clear();
    }

    async fn ask(&self, kind: &str, data: &JsValue) -> Result<JsValue, DuckDbError> {
        self.ask_with(kind, data, &Array::new()).await
    }

    /// The same; the buffers of `moved` are gone afterwards, and not copied.
    async fn ask_with(&self, kind: &str, data: &JsValue, moved: &Array) -> Result<JsValue, DuckDbError> {
        if self.is_stopped.get() {
            return Err(DuckDbError::Stopped);
        }
        let id = self.n_asked.get() + 1;
        self.n_asked.set(id);
        let message = Object::new();
        for (key, value) in [("messageId", &JsValue::from(id)), ("type", &kind.into()), ("data", data)] {
            Reflect::set(&message, &key.into(), value).map_err(BrowserError::from)?;
        }
        let (sender, answer) = oneshot::channel();
        self.waiting.borrow_mut().insert(id, sender);
        self.worker.post_message_with_transfer(&message, moved).map_err(BrowserError::from)?;
        answer.await.unwrap_or_else(|_| Err(DuckDbError::Stopped))
    }

    fn with_connection(&self, more: &[JsValue]) -> Array {
        let out = Array::of1(&self.connection.get().into());
        more.iter().for_each(|value| {
            out.push(value);
        });
        out
    }

    /// Runs a statement to its end; its result as Arrow.
    pub async fn run(&self, text: &str) -> Result<Vec<u8>, DuckDbError> {
        let found = self.ask("RUN_QUERY", &self.with_connection(&[text.into()])).await?;
        Ok(found.dyn_into::<Uint8Array>().map(|bytes| bytes.to_vec()).unwrap_or_default())
    }

    /// Runs a statement in steps of a tenth of a second. `is_over` is called between steps and ends the statement, which then returns `Ok(false)`.
    pub async fn run_while(&self, text: &str, is_over: impl Fn() -> bool) -> Result<bool, DuckDbError> {
        let mut found = self.ask("START_PENDING_QUERY", &self.with_connection(&[text.into(), JsValue::FALSE])).await?;
        while found.is_null() || found.is_undefined() {
            if is_over() {
                self.ask("CANCEL_PENDING_QUERY", &self.connection.get().into()).await?;
                return Ok(false);
            }
            found = self.ask("POLL_PENDING_QUERY", &self.connection.get().into()).await?;
        }
        // A statement runs to its end when its result is fetched.
        while self
            .ask("FETCH_QUERY_RESULTS", &self.connection.get().into())
            .await?
            .dyn_into::<Uint8Array>()
            .is_ok_and(|part| part.length() > 0)
        {}
        Ok(true)
    }

    /// Adds the rows of a stream to a table that is there.
    pub async fn insert(&self, stream: &[u8], schema: &str, table: &str) -> Result<(), DuckDbError> {
        let options = Object::new();
        for (key, value) in [("name", JsValue::from(table)), ("schema", schema.into()), ("create", JsValue::FALSE)] {
            Reflect::set(&options, &key.into(), &value).map_err(BrowserError::from)?;
        }
        let bytes = Uint8Array::from(stream);
        let moved = Array::of1(&bytes.buffer());
        self.ask_with("INSERT_ARROW_FROM_IPC_STREAM", &self.with_connection(&[bytes.into(), options.into()]), &moved).await.map(|_| ())
    }
}

/// Delivers an answer to the waiting call.
fn receive(message: &JsValue, waiting: &Waiting, on_bytes: &dyn Fn(u64)) {
    let data = get(message, "data");
    match get(message, "type").as_string().as_deref() {
        Some("INSTANTIATE_PROGRESS") => on_bytes(get(&data, "bytesLoaded").as_f64().unwrap_or(0.0) as u64),
        Some(kind) => {
            let id = get(message, "requestId").as_f64().unwrap_or(0.0) as u32;
            if let Some(sender) = waiting.borrow_mut().remove(&id) {
                let answer = match kind {
                    "ERROR" => {
                        Err(DuckDbError::Engine(get(&data, "message").as_string().unwrap_or_else(|| "The SQL engine failed.".into())))
                    }
                    _ => Ok(data),
                };
                // Nobody may wait any more.
                let _ = sender.send(answer);
            }
        }
        None => {}
    }
}
