//! The worker's side: sorts and opens files, answers questions.

use super::error::{WorkerError, WriteError};
use super::fault;
use super::helpers::Helper;
use super::input::input;
use super::lifeline;
use super::opening;
use super::piece::{Orders, RowOrders, Text};
use super::profile_host::Host;
use super::protocol::{ToPage, ToWorker, WriteStep, Written, build_id, decode};
use super::reader::Reader;
use super::remote;
use super::timeline;
use super::unpack;
use crate::engine::EncodedQuery;
use crate::formats::{self, inspect};
use js_sys::{Array, Uint8Array};
use std::cell::RefCell;
use std::sync::OnceLock;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{DedicatedWorkerGlobalScope, File, MessageEvent};

/// Serves the page until it terminates the worker.
pub fn serve() {
    let scope = host_scope();
    let host = Host::new(scope.clone());
    watch(&host);
    timeline::mark_phases();
    let post = host.clone();
    let server = Server { host, orders: Orders::default(), row_orders: RowOrders::default(), writer: RefCell::default() };
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| server.receive(&event));
    scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
    lifeline::hold(move |lock| {
        post.post(&ToPage::Ready { build: build_id(), formats: formats::ALL.iter().map(|f| f.info()).collect(), lock })
    });
}

fn host_scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// Reports to the page when the program breaks down: what fails inside a promise never reaches the page's `error` listener.
fn watch(host: &Host) {
    std::panic::set_hook(Box::new(|info| {
        console_error_panic_hook::hook(info);
        let (path, line) = info.location().map_or(("", 0), |at| (at.file(), at.line()));
        Host::new(host_scope()).post(&fault::of_panic(path, line, info.payload_as_str().unwrap_or("without a message")));
    }));
    let host = host.clone();
    let on_rejection = Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| {
        let reason = js_sys::Reflect::get(&event, &"reason".into()).unwrap_or(event);
        host.post(&ToPage::Died(super::error::words(&reason)));
    });
    let added = host_scope().add_event_listener_with_callback("unhandledrejection", on_rejection.as_ref().unchecked_ref());
    if let Err(error) = added {
        web_sys::console::error_1(&error);
    }
    on_rejection.forget();
}

/// Writes tables into an archive.
pub trait TableWriting {
    /// Does the next step.
    fn step(&mut self, step: WriteStep) -> Result<Written, WriteError>;
}

/// Makes a writer, in a program that links the Parquet library.
static NEW_WRITER: OnceLock<fn() -> Box<dyn TableWriting>> = OnceLock::new();

/// Links a writer of tables into this program.
pub fn install_table_writer(new: fn() -> Box<dyn TableWriting>) {
    // The second call finds the same function there.
    let _ = NEW_WRITER.set(new);
}

/// Takes the messages of the page.
struct Server {
    host: Host,
    orders: Orders,
    row_orders: RowOrders,
    writer: RefCell<Option<Box<dyn TableWriting>>>,
}

impl Server {
    fn receive(&self, event: &MessageEvent) {
        let parts: Array = event.data().unchecked_into();
        let bytes = parts.get(0).unchecked_into::<Uint8Array>().to_vec();
        match decode::<ToWorker>(&bytes) {
            Ok(ToWorker::ReadText(order)) => return self.orders.take(&self.host, order, Text::Here(parts.get(1).unchecked_into())),
            Ok(ToWorker::BorrowReader) => return Reader::borrow(parts.get(1).unchecked_into()),
            Ok(ToWorker::ReaderStopped) => return Reader::mark_borrowed_stopped(),
            Ok(ToWorker::Ask { id }) => {
                return self.host.answer(id, &EncodedQuery::from_bytes(parts.get(1).unchecked_into::<Uint8Array>().to_vec()));
            }
            _ => {}
        }
        let files: Vec<File> = match parts.iter().skip(1).map(remote::file).collect() {
            Ok(files) => files,
            Err(error) => return self.host.fail(&error),
        };
        match decode::<ToWorker>(&bytes) {
            Ok(ToWorker::Inspect { names }) => match sorted(&names, &files) {
                Ok(sorted) => self.host.post(&sorted),
                Err(error) => self.host.fail(&error),
            },
            Ok(ToWorker::Open { claim, paths, names, occasion, learned, n_readers }) => {
                crate::engine::learn(&learned);
                let host = self.host.clone();
                spawn_local(async move {
                    if let Err(error) = opening::open(&host, claim, &paths, (&names, &files), occasion, n_readers as usize).await {
                        host.fail(&error);
                    }
                });
            }
            Ok(ToWorker::ReadPiece(order)) => self.orders.take(&self.host, order, Text::of(files.first())),
            Ok(ToWorker::ReadRows(order)) => self.row_orders.take(&self.host, &order, &files),
            Ok(ToWorker::Unpack { name }) => {
                let host = self.host.clone();
                spawn_local(async move {
                    let Some(file) = files.first() else { return host.fail(&WorkerError::NoFile) };
                    if let Err(error) = unpack::run(&host, &name, file).await {
                        host.fail(&error);
                    }
                });
            }
            // What comes with them is no file: they have been taken above.
            Ok(ToWorker::ReadText(_) | ToWorker::BorrowReader | ToWorker::ReaderStopped | ToWorker::Ask { .. }) => {}
            // The synthetic trace opens, or what follows is slower; neither is news for the page.
            Ok(ToWorker::WarmUp { n_readers }) => {
                Reader::shared();
                if n_readers > 1 {
                    Helper::prepare();
                }
                drop(crate::engine::warm_up());
            }
            Ok(ToWorker::WarmUpForRuns) => drop(crate::engine::warm_up_for_runs()),
            Ok(ToWorker::OpenSynthetic) => {
                let host = self.host.clone();
                spawn_local(async move {
                    if let Err(error) = opening::rehearse(&host).await {
                        host.fail(&error);
                    }
                });
            }
            Ok(ToWorker::Write(step)) => match self.written(step) {
                Ok(written) => self.host.post(&ToPage::Written(written)),
                Err(error) => self.host.fail(&error),
            },
            Ok(ToWorker::Prepare(what)) => spawn_local(self.host.clone().prepare(what)),
            Err(error) => self.host.fail(&error),
        }
    }

    fn written(&self, step: WriteStep) -> Result<Written, WriteError> {
        let new = NEW_WRITER.get().ok_or(WriteError::NotLinked)?;
        let is_last = step == WriteStep::End;
        let mut writer = self.writer.borrow_mut();
        let written = writer.get_or_insert_with(new).step(step);
        if is_last || written.is_err() {
            writer.take();
        }
        written
    }
}

fn sorted(names: &[String], files: &[File]) -> Result<ToPage, WorkerError> {
    Ok(ToPage::Inspected(inspect::inspect(&input(names, files)?)?))
}
