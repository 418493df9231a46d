//! DuckDB in a worker of its own: its files are fetched when the first query is run. Messages are those of `@duckdb/duckdb-wasm`; its JavaScript
//! library is not used, since it reads results by code made from strings, which the policy of the page forbids.

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
/// What a page without the engine's files says.
const MISSING: &str =
    "The SQL engine could not be loaded. It is fetched when it is first used: connect to the network once, then try again.";

/// What a question to an ended engine is answered with.
const STOPPED: &str = "The SQL engine has stopped. Run the query again to start it.";

type Waiting = Rc<RefCell<HashMap<u32, oneshot::Sender<Result<JsValue, String>>>>>;

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
    /// Starts the engine; `on_bytes` is called with what was loaded of it so far. Fails with a sentence.
    pub async fn start(on_bytes: impl Fn(u64) + 'static) -> Result<Engine, String> {
        let worker = Worker::new(&format!("./{FOLDER}/duckdb-browser-eh.worker.js")).map_err(|_| MISSING.to_string())?;
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
        let program = web_sys::Url::new_with_base(&format!("{FOLDER}/duckdb-eh.wasm"), &base).map_err(|_| MISSING.to_string())?;
        out.ask("INSTANTIATE", &Array::of2(&program.href().into(), &JsValue::NULL)).await.map_err(|_| MISSING.to_string())?;
        let config = Object::new();
        let set = |key: &str, value: &JsValue| Reflect::set(&config, &key.into(), value).map(|_| ()).map_err(|_| MISSING.to_string());
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

    async fn ask(&self, kind: &str, data: &JsValue) -> Result<JsValue, String> {
        self.ask_with(kind, data, &Array::new()).await
    }

    /// The same; the buffers of `moved` are gone afterwards, and not copied.
    async fn ask_with(&self, kind: &str, data: &JsValue, moved: &Array) -> Result<JsValue, String> {
        if self.is_stopped.get() {
            return Err(STOPPED.into());
        }
        let id = self.n_asked.get() + 1;
        self.n_asked.set(id);
        let message = Object::new();
        for (key, value) in [("messageId", &JsValue::from(id)), ("type", &kind.into()), ("data", data)] {
            Reflect::set(&message, &key.into(), value).map_err(|e| super::blob::words(&e))?;
        }
        let (sender, answer) = oneshot::channel();
        self.waiting.borrow_mut().insert(id, sender);
        self.worker.post_message_with_transfer(&message, moved).map_err(|e| super::blob::words(&e))?;
        answer.await.unwrap_or_else(|_| Err(STOPPED.into()))
    }

    fn with_connection(&self, more: &[JsValue]) -> Array {
        let out = Array::of1(&self.connection.get().into());
        more.iter().for_each(|value| {
            out.push(value);
        });
        out
    }

    /// Runs a statement to its end; its result as Arrow. Fails with the engine's words.
    pub async fn run(&self, text: &str) -> Result<Vec<u8>, String> {
        let found = self.ask("RUN_QUERY", &self.with_connection(&[text.into()])).await?;
        Ok(found.dyn_into::<Uint8Array>().map(|bytes| bytes.to_vec()).unwrap_or_default())
    }

    /// Runs a statement in turns of a tenth of a second; between two of them `is_over` says whether to end it. `Ok(false)` where it was ended.
    pub async fn run_while(&self, text: &str, is_over: impl Fn() -> bool) -> Result<bool, String> {
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
    pub async fn insert(&self, stream: &[u8], schema: &str, table: &str) -> Result<(), String> {
        let options = Object::new();
        for (key, value) in [("name", JsValue::from(table)), ("schema", schema.into()), ("create", JsValue::FALSE)] {
            Reflect::set(&options, &key.into(), &value).map_err(|e| super::blob::words(&e))?;
        }
        let bytes = Uint8Array::from(stream);
        let moved = Array::of1(&bytes.buffer());
        self.ask_with("INSERT_ARROW_FROM_IPC_STREAM", &self.with_connection(&[bytes.into(), options.into()]), &moved).await.map(|_| ())
    }
}

/// Gives an answer to whoever waits for it.
fn receive(message: &JsValue, waiting: &Waiting, on_bytes: &dyn Fn(u64)) {
    let data = get(message, "data");
    match get(message, "type").as_string().as_deref() {
        Some("INSTANTIATE_PROGRESS") => on_bytes(get(&data, "bytesLoaded").as_f64().unwrap_or(0.0) as u64),
        Some(kind) => {
            let id = get(message, "requestId").as_f64().unwrap_or(0.0) as u32;
            if let Some(sender) = waiting.borrow_mut().remove(&id) {
                let answer = match kind {
                    "ERROR" => Err(get(&data, "message").as_string().unwrap_or_else(|| "The SQL engine failed.".into())),
                    _ => Ok(data),
                };
                // Nobody may wait any more.
                let _ = sender.send(answer);
            }
        }
        None => {}
    }
}
