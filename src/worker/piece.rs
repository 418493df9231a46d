//! The work of a helper: reads pieces of a file, one after the other, and sends them as bytes.

use super::blob::Blocks;
use super::input::input;
use super::profile_host::Host;
use super::protocol::{PieceOrder, RowsOrder, ToPage};
use super::reader::Reader;
use super::transfer::Transfer;
use crate::base::phases;
use crate::formats::row_pieces::RowReader;
use crate::formats::{self, Split, import, inspect};
use js_sys::Uint8Array;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use wasm_bindgen_futures::spawn_local;
use web_sys::File;

/// Where the bytes of a piece are.
pub(super) enum Text {
    /// In a file.
    In(File),
    /// With the order.
    Here(Uint8Array),
    /// Nowhere.
    Missing,
}

impl Text {
    /// In a file, if there is one.
    pub fn of(file: Option<&File>) -> Text {
        file.map_or(Text::Missing, |file| Text::In(file.clone()))
    }
}

/// Bytes on their way.
enum PendingBytes {
    Blocks(Blocks),
    Here(Uint8Array),
}

/// An order with its bytes; none where they are missing.
type Waiting = (PieceOrder, Option<PendingBytes>);

/// Pieces to be read, in the order in which they were asked for.
#[derive(Clone, Default)]
pub(super) struct Orders {
    waiting: Rc<RefCell<VecDeque<Waiting>>>,
    is_busy: Rc<Cell<bool>>,
}

impl Orders {
    /// Takes an order. Its bytes are asked for at once: they are on their way while the piece before it is read.
    pub fn take(&self, host: &Host, order: PieceOrder, text: Text) {
        let coming = match text {
            Text::In(file) => Blocks::of_range(&file, order.from..order.to, Reader::borrowed()).ok().map(PendingBytes::Blocks),
            Text::Here(text) => Some(PendingBytes::Here(text)),
            Text::Missing => None,
        };
        self.waiting.borrow_mut().push_back((order, coming));
        if self.is_busy.replace(true) {
            return;
        }
        let (orders, host) = (self.clone(), host.clone());
        spawn_local(async move {
            loop {
                let next = orders.waiting.borrow_mut().pop_front();
                let Some((order, coming)) = next else { break };
                let (began, number) = (phases::begin(), order.number);
                let packed = match coming {
                    Some(PendingBytes::Blocks(blocks)) => read(&order, blocks).await,
                    Some(PendingBytes::Here(text)) => parsed(&order, &text.to_vec()),
                    None => None,
                };
                post(&host, number, packed, began.elapsed_ms());
            }
            orders.is_busy.set(false);
        });
    }
}

/// Sends a piece, or that it cannot be read.
fn post(host: &Host, number: u32, packed: Option<Vec<u8>>, took_ms: f64) {
    let mut transfer = Transfer::default();
    if let Some(packed) = packed {
        transfer.add_buffer(&Uint8Array::from(packed.as_slice()).buffer());
    }
    host.post_with(&ToPage::PieceRead { number, took_ms }, &transfer);
}

/// Reads rows of the tables of one profile: a helper serves one import.
#[derive(Default)]
pub(super) struct RowOrders {
    /// `None` inside where it can read nothing.
    reader: RefCell<Option<Option<Box<dyn RowReader>>>>,
}

impl RowOrders {
    /// Takes an order, and reads the rows in its files at once.
    pub fn take(&self, host: &Host, order: &RowsOrder, files: &[File]) {
        let began = phases::begin();
        let mut reader = self.reader.borrow_mut();
        let reader = reader.get_or_insert_with(|| row_reader(order, files));
        let packed = reader.as_mut().and_then(|reader| reader.read(&order.rows)?.packed());
        post(host, order.number, packed, began.elapsed_ms());
    }
}

fn row_reader(order: &RowsOrder, files: &[File]) -> Option<Box<dyn RowReader>> {
    let picked = inspect::pick(&input(&order.names, files).ok()?, &order.claim, &order.paths).ok()?;
    import::row_reader(&picked, &order.claim)
}

/// The splitter for the order's format.
fn split(order: &PieceOrder) -> Option<&'static dyn Split> {
    formats::by_id(&order.claim.format)?.streamed(&order.claim, &order.path)?.split()
}

/// The piece of a text as bytes.
fn parsed(order: &PieceOrder, text: &[u8]) -> Option<Vec<u8>> {
    let mut piece = split(order)?.piece(&order.head, order.from)?;
    piece.feed(text);
    piece.packed()
}

/// The piece as bytes; `None` where its text cannot be read.
async fn read(order: &PieceOrder, mut blocks: Blocks) -> Option<Vec<u8>> {
    let mut piece = split(order)?.piece(&order.head, order.from)?;
    let (mut n_read, mut is_reported) = (0, false);
    while let Some(block) = blocks.next().await.ok()? {
        if n_read > 0 && !std::mem::replace(&mut is_reported, true) {
            piece.expect(n_read, order.to - order.from);
        }
        piece.feed(block);
        n_read += block.len() as u64;
    }
    piece.packed()
}
