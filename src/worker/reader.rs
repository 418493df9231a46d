//! A worker of its own that reads files for the worker that parses them (`public/reader.js`).
//!
//! A browser delivers the bytes of a read in tasks of the thread that asked for it. While that thread parses, they wait.

use crate::base::SourceError;
use futures_channel::oneshot;
use js_sys::{Array, ArrayBuffer};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{Event, File, MessageChannel, MessageEvent, MessagePort, Worker};

const SCRIPT: &str = "reader.js";

/// The bytes of a part, or why the browser does not give them.
type Part = Result<ArrayBuffer, SourceError>;
type Waiting = Rc<RefCell<HashMap<u32, oneshot::Sender<Part>>>>;

/// How a reader is reached.
enum Line {
    /// It belongs to this worker, and ends with the line.
    Own(Running),
    /// It belongs to the worker that started this one.
    Lent(MessagePort),
}

/// A running `reader.js`. Dropping it ends the worker.
struct Running {
    worker: Worker,
    _on_error: Closure<dyn FnMut(Event)>,
}

impl Running {
    /// Starts one; `broke` is called when it breaks down. `None` where the browser does not start it.
    fn start(broke: impl Fn() + 'static) -> Option<Running> {
        let worker = Worker::new(&super::remote::site_file(SCRIPT)).ok()?;
        let on_error = Closure::<dyn FnMut(Event)>::new(move |_| broke());
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        Some(Running { worker, _on_error: on_error })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

/// A reader for a helper, kept by the worker that started both. Dropping it ends the reader.
///
/// A helper has no workers of its own: Chromium may never end a worker whose own worker ends at the same time; both keep their memory.
pub struct LentReader {
    _running: Running,
}

impl LentReader {
    /// Starts one; `broke` is called when it breaks down. Returns the port through which the helper reaches it as well.
    pub fn start(broke: impl Fn() + 'static) -> Option<(LentReader, MessagePort)> {
        let running = Running::start(broke)?;
        let channel = MessageChannel::new().ok()?;
        let end = channel.port1();
        running.worker.post_message_with_transfer(&end, &Array::of1(&end)).ok()?;
        Some((LentReader { _running: running }, channel.port2()))
    }
}

/// The worker that reads.
pub struct Reader {
    line: Line,
    waiting: Waiting,
    next_id: Cell<u32>,
    is_gone: Rc<Cell<bool>>,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
}

thread_local! {
    /// One for all files of this worker; `None` inside where it could not be started.
    static READER: RefCell<Option<Option<Rc<Reader>>>> = const { RefCell::new(None) };
}

impl Reader {
    /// The reader of this worker, started when it is first asked for; `None` where the browser has none or it broke down.
    pub fn shared() -> Option<Rc<Reader>> {
        let reader = READER.with_borrow_mut(|kept| kept.get_or_insert_with(|| Reader::start().map(Rc::new)).clone());
        reader.filter(|r| r.is_running())
    }

    /// Takes a reader that was started for this worker, a helper.
    pub fn borrow(port: MessagePort) {
        let (waiting, is_gone) = (Waiting::default(), Rc::default());
        let on_message = listener(&waiting);
        port.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        let reader = Reader { line: Line::Lent(port), waiting, next_id: Cell::new(0), is_gone, _on_message: on_message };
        READER.set(Some(Some(Rc::new(reader))));
    }

    /// The reader that was started for this worker; `None` where there is none or it broke down.
    pub fn borrowed() -> Option<Rc<Reader>> {
        READER.with_borrow(|kept| kept.clone().flatten()).filter(|r| r.is_running())
    }

    /// Its owner says that it broke down.
    pub fn mark_borrowed_stopped() {
        if let Some(reader) = Reader::borrowed() {
            mark_stopped(&reader.waiting, &reader.is_gone);
        }
    }

    /// Whether it has not broken down.
    pub fn is_running(&self) -> bool {
        !self.is_gone.get()
    }

    /// Ends the reader of this worker after its last read.
    pub fn release() {
        READER.with_borrow_mut(Option::take);
    }

    fn start() -> Option<Reader> {
        let (waiting, is_gone) = (Waiting::default(), Rc::<Cell<bool>>::default());
        let broke = {
            let (waiting, is_gone) = (waiting.clone(), is_gone.clone());
            move || mark_stopped(&waiting, &is_gone)
        };
        let running = Running::start(broke)?;
        let on_message = listener(&waiting);
        running.worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        Some(Reader { line: Line::Own(running), waiting, next_id: Cell::new(0), is_gone, _on_message: on_message })
    }

    /// Asks for bytes of a file. The answer is cancelled when the reader breaks down.
    ///
    /// The reader cuts the part out of the file: for that a browser asks its own process, and waits for the answer.
    pub fn read(&self, file: &File, bytes: Range<u64>) -> oneshot::Receiver<Part> {
        let (sender, receiver) = oneshot::channel();
        let id = self.next_id.get();
        self.next_id.set(id.wrapping_add(1));
        let wanted = Array::of4(&id.into(), file, &(bytes.start as f64).into(), &(bytes.end as f64).into());
        if self.is_running() && self.post(&wanted, &Array::new()).is_ok() {
            self.waiting.borrow_mut().insert(id, sender);
        }
        receiver
    }

    /// Returns a buffer after use, for a later read: memory that is freed and allocated anew costs more than the read.
    pub fn give_back(&self, buffer: &ArrayBuffer) {
        // One that cannot be sent is freed by garbage collection.
        let _ = self.post(buffer, &Array::of1(buffer));
    }

    fn post(&self, message: &JsValue, moved: &Array) -> Result<(), JsValue> {
        match &self.line {
            Line::Own(running) => running.worker.post_message_with_transfer(message, moved),
            Line::Lent(port) => port.post_message_with_transferable(message, moved),
        }
    }
}

/// Wakes those who wait by dropping the senders: they read by themselves.
fn mark_stopped(waiting: &Waiting, is_gone: &Cell<bool>) {
    is_gone.set(true);
    waiting.borrow_mut().clear();
}

/// Passes the parts that a reader sends to those who wait for them.
fn listener(waiting: &Waiting) -> Closure<dyn FnMut(MessageEvent)> {
    let waiting = waiting.clone();
    Closure::new(move |event: MessageEvent| {
        let parts: Array = event.data().unchecked_into();
        let sender = parts.get(0).as_f64().and_then(|id| waiting.borrow_mut().remove(&(id as u32)));
        let why = |why: JsValue| SourceError::Platform(super::error::sentence(&why.as_string().unwrap_or_default()));
        let part = parts.get(1).dyn_into::<ArrayBuffer>().map_err(why);
        // Whoever asked may be gone.
        let _ = sender.map(|s| s.send(part));
    })
}
