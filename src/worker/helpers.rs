//! Helpers: further workers of this program that read pieces of a file for the worker that opens it. They are ended with it, or when the file was read.

use super::error::{BrowserError, LinkError};
use super::protocol::{PieceOrder, RowsOrder, ToPage, ToWorker, build_id, decode, encode};
use super::reader::LentReader;
use super::{lifeline, remote};
use crate::base::phases::{self, Phase};
use futures_channel::oneshot;
use js_sys::{Array, ArrayBuffer, Uint8Array};
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{ErrorEvent, File, MessageEvent, Worker};

/// A piece as bytes; cancelled where the helper broke down, `None` where it could not read it.
pub type PendingPiece = oneshot::Receiver<Option<Vec<u8>>>;

/// What is known of a helper.
#[derive(Default)]
struct Known {
    is_ready: Cell<bool>,
    is_gone: Cell<bool>,
    waiting: RefCell<HashMap<u32, oneshot::Sender<Option<Vec<u8>>>>>,
}

impl Known {
    /// The helper stopped. Dropping the senders ends the futures that wait for it.
    fn mark_stopped(&self) {
        self.is_gone.set(true);
        self.waiting.borrow_mut().clear();
    }

    fn receive(self: &Rc<Self>, event: &MessageEvent) {
        let parts: Array = event.data().unchecked_into();
        let bytes = parts.get(0).unchecked_into::<Uint8Array>().to_vec();
        match decode::<ToPage>(&bytes) {
            Ok(ToPage::Ready { build, lock, .. }) if build == build_id() => {
                let known = self.clone();
                lifeline::watch(&lock, move || known.mark_stopped());
                self.is_ready.set(true);
            }
            Ok(ToPage::PieceRead { number, took_ms }) => {
                phases::took(Phase::Helper, took_ms);
                let sender = self.waiting.borrow_mut().remove(&number);
                let piece = parts.get(1).dyn_into::<ArrayBuffer>().ok().map(|buffer| Uint8Array::new(&buffer).to_vec());
                // Whoever asked may be gone.
                let _ = sender.map(|s| s.send(piece));
            }
            // It broke down, or is of another build.
            _ => self.mark_stopped(),
        }
    }
}

/// One helper. Dropping it ends the worker.
pub struct Helper {
    worker: Worker,
    known: Rc<Known>,
    /// Reads files for it, from its first piece of a file; `None` inside where the browser does not start it.
    reader: OnceCell<Option<LentReader>>,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(ErrorEvent)>,
}

impl Drop for Helper {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

thread_local! {
    /// Helpers that wait for a file.
    static SPARE: RefCell<Vec<Helper>> = const { RefCell::new(Vec::new()) };
}

impl Helper {
    /// Starts one ahead of need.
    pub fn prepare() {
        SPARE.with_borrow_mut(|spare| {
            if spare.is_empty() {
                spare.extend(Helper::start())
            }
        });
    }

    /// `n` helpers: idle ones, and new ones if there are too few.
    pub fn team(n: usize) -> Vec<Helper> {
        let mut team = SPARE.take();
        team.retain(|helper| !helper.is_gone());
        team.extend(std::iter::repeat_with(Helper::start).take(n.saturating_sub(team.len())).flatten());
        team.truncate(n);
        team
    }

    /// Ends the waiting reads.
    pub fn release() {
        SPARE.take();
    }

    /// Starts one; `None` where the browser does not.
    fn start() -> Option<Helper> {
        let worker = remote::another_like_this()?;
        let known = Rc::<Known>::default();
        let on_message = {
            let known = known.clone();
            Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| known.receive(&event))
        };
        let on_error = {
            let known = known.clone();
            Closure::<dyn FnMut(ErrorEvent)>::new(move |_| known.mark_stopped())
        };
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        Some(Helper { worker, known, reader: OnceCell::new(), _on_message: on_message, _on_error: on_error })
    }

    /// Whether it can be given a piece: it listens, and has no more than one that it reads now.
    pub fn has_room(&self) -> bool {
        self.known.is_ready.get() && !self.known.is_gone.get() && self.known.waiting.borrow().len() < 2
    }

    /// Whether it reads nothing.
    pub fn is_idle(&self) -> bool {
        self.known.waiting.borrow().is_empty()
    }

    /// Whether it broke down.
    pub fn is_gone(&self) -> bool {
        self.known.is_gone.get()
    }

    /// Asks for a piece of `file`.
    pub fn read(&self, order: PieceOrder, file: &File) -> PendingPiece {
        self.reader.get_or_init(|| self.lend_reader());
        self.ask(order.number, &ToWorker::ReadPiece(order), &Array::of1(file))
    }

    /// Asks for a piece that consists of `text`.
    pub fn read_text(&self, order: PieceOrder, text: &Uint8Array) -> PendingPiece {
        self.ask(order.number, &ToWorker::ReadText(order), &Array::of1(text))
    }

    /// Asks for rows of a profile in `files`.
    pub fn read_rows(&self, order: RowsOrder, files: &[File]) -> PendingPiece {
        self.ask(order.number, &ToWorker::ReadRows(order), &files.iter().collect())
    }

    /// Starts a reader for this helper. When it breaks down the helper reads by itself.
    fn lend_reader(&self) -> Option<LentReader> {
        let helper = self.worker.clone();
        let broke = move || {
            // A helper that cannot be told has stopped as well, which is noticed.
            let _ = send(&helper, &ToWorker::ReaderStopped, &Array::new(), &Array::new());
        };
        let (reader, port) = LentReader::start(broke)?;
        send(&self.worker, &ToWorker::BorrowReader, &Array::of1(&port), &Array::of1(&port)).ok()?;
        Some(reader)
    }

    fn ask(&self, number: u32, message: &ToWorker, bytes_of_it: &Array) -> PendingPiece {
        let (sender, receiver) = oneshot::channel();
        let sent = send(&self.worker, message, bytes_of_it, &Array::new());
        if sent.is_ok() && !self.is_gone() {
            self.known.waiting.borrow_mut().insert(number, sender);
        }
        receiver
    }
}

/// Sends a message with something beside it, of which `moved` is moved and not copied.
fn send(worker: &Worker, message: &ToWorker, beside: &Array, moved: &Array) -> Result<(), LinkError> {
    let parts = Array::of1(&Uint8Array::from(encode(message)?.as_slice())).concat(beside);
    Ok(worker.post_message_with_transfer(&parts, moved).map_err(BrowserError::from)?)
}
