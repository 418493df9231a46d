//! The open profile of a worker, and the way back to the page.

use super::error::{BrowserError, Sentence, WorkerError};
use super::protocol::{ToPage, encode};
use super::transfer::Transfer;
use crate::engine::query::{ExportQuery, RangeRecordsQuery, ScanQuery, TablePartQuery, TraceEventsQuery};
use crate::engine::{AnswerCache, EncodedAnswer, EncodedQuery, Session, Wire};
use js_sys::{Array, Uint8Array};
use std::cell::RefCell;
use std::rc::Rc;
use web_sys::{DedicatedWorkerGlobalScope, File};

/// Answers that take longer than this are kept, ms.
const SLOW_MS: f64 = 30.0;
/// Questions whose parts are asked for once: a search in records, and a file that is saved.
const ASKED_ONCE: [u32; 5] =
    [ScanQuery::NUMBER, ExportQuery::NUMBER, TraceEventsQuery::NUMBER, RangeRecordsQuery::NUMBER, TablePartQuery::NUMBER];
/// If they and their questions are no longer than this, bytes as sent.
const MAX_CACHED_BYTES: usize = 1 << 20;

/// The open profile and the way back.
#[derive(Clone)]
pub(super) struct Host {
    scope: DedicatedWorkerGlobalScope,
    session: Rc<RefCell<Option<Session>>>,
    answers: Rc<RefCell<AnswerCache>>,
}

impl Host {
    /// Without a profile.
    pub fn new(scope: DedicatedWorkerGlobalScope) -> Self {
        Host { scope, session: Rc::default(), answers: Rc::default() }
    }

    /// Computes what many answers share, where a profile is open.
    pub fn prepare(&self) {
        if let Some(session) = self.session.borrow().as_ref() {
            session.prepare();
        }
    }

    /// Finds the answer to a question that the page is about to ask, and keeps it.
    pub fn answer_ahead(&self, query: &EncodedQuery) {
        self.found(query, false);
    }

    /// Answers a question.
    pub fn answer(&self, id: u32, query: &EncodedQuery) {
        // Kept answers are of the whole profile, or of a range.
        let is_scoped = self.session.borrow().as_ref().is_some_and(Session::is_scoped);
        let known = if is_scoped { None } else { self.answers.borrow_mut().get(query) };
        let answer = known.unwrap_or_else(|| self.found(query, is_scoped));
        let bytes = Uint8Array::from(answer.bytes());
        let transfer = Transfer { columns: Array::of1(&bytes), buffers: Array::of1(&bytes.buffer()) };
        self.post_with(&ToPage::Answer { id }, &transfer);
    }

    fn found(&self, query: &EncodedQuery, is_scoped: bool) -> Rc<EncodedAnswer> {
        let began_ms = js_sys::Date::now();
        let answer = match self.session.borrow().as_ref() {
            Some(session) => Rc::new(query.answer(session)),
            None => return Rc::new(EncodedAnswer::refused("No profile is open in this worker.")),
        };
        let is_slow = !is_scoped && js_sys::Date::now() - began_ms >= SLOW_MS;
        let is_once = query.number().is_none_or(|number| ASKED_ONCE.contains(&number));
        if is_slow && !is_once && query.bytes().len() + answer.bytes().len() <= MAX_CACHED_BYTES {
            self.answers.borrow_mut().keep(query.clone(), answer.clone());
        }
        answer
    }

    /// Keeps the profile for the questions to come.
    pub fn keep(&self, session: Session) {
        *self.session.borrow_mut() = Some(session);
        *self.answers.borrow_mut() = AnswerCache::default();
    }

    /// Sends why something cannot be done.
    pub fn fail(&self, error: &impl std::fmt::Display) {
        self.post(&ToPage::Failed(Sentence::of(error)));
    }

    /// Sends a message alone.
    pub fn post(&self, message: &ToPage) {
        self.post_with(message, &Transfer::default());
    }

    /// Sends a message with a file beside it.
    pub fn post_file(&self, message: &ToPage, file: &File) {
        let sent = encode(message).map_err(WorkerError::from).and_then(|bytes| {
            let parts = Array::of2(&Uint8Array::from(bytes.as_slice()), file);
            Ok(self.scope.post_message(&parts).map_err(BrowserError::from)?)
        });
        if let Err(error) = sent {
            web_sys::console::error_1(&error.to_string().into());
        }
    }

    /// Sends a message with buffers beside it.
    pub fn post_with(&self, message: &ToPage, transfer: &Transfer) {
        let sent = encode(message).map_err(WorkerError::from).and_then(|bytes| {
            let bytes = Uint8Array::from(bytes.as_slice());
            let parts = Array::of1(&bytes).concat(&transfer.columns);
            let moved = Array::of1(&bytes.buffer()).concat(&transfer.buffers);
            Ok(self.scope.post_message_with_transfer(&parts, &moved).map_err(BrowserError::from)?)
        });
        if let Err(error) = sent {
            web_sys::console::error_1(&error.to_string().into());
        }
    }
}
