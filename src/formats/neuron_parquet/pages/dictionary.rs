//! Text columns by their dictionary: a row is a number, and each text of the dictionary is looked at once.

use super::errors::{self, Found};
use super::rle::Hybrid;
use crate::base::{Interner, StrId};
use bytes::Bytes;
use parquet::basic::Encoding;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::data_type::ByteArray;
use parquet::errors::Result as PageResult;
use std::cell::RefCell;
use std::rc::Rc;

/// The code of a row without a value.
pub const ABSENT: u32 = u32::MAX;

/// Words for "not recorded".
pub fn known(text: &str) -> &str {
    match text {
        "Unknown" | "unknown" | "-1" => "",
        text => text,
    }
}

/// The texts of a column chunk.
#[derive(Default)]
pub struct Dictionary {
    pub texts: Vec<ByteArray>,
    /// Their ids; filled on demand.
    ids: RefCell<Vec<Option<StrId>>>,
}

impl Dictionary {
    /// Length-prefixed texts.
    fn read(page: &Bytes) -> Dictionary {
        let (mut texts, mut at) = (Vec::new(), 0usize);
        while let Some(len) = page.get(at..at + 4).and_then(|b| b.first_chunk::<4>()) {
            let (from, len) = (at + 4, u32::from_le_bytes(*len) as usize);
            let Some(end) = from.checked_add(len).filter(|end| *end <= page.len()) else { break };
            texts.push(ByteArray::from(page.slice(from..end)));
            at = end;
        }
        Dictionary { ids: RefCell::new(vec![None; texts.len()]), texts }
    }

    /// The ids of rows; of absent ones the empty text's.
    pub fn ids(&self, codes: &[u32], strings: &mut Interner) -> Vec<StrId> {
        let mut ids = self.ids.borrow_mut();
        let mut id = |code: &u32| match ids.get_mut(*code as usize) {
            Some(Some(id)) => *id,
            Some(unknown) => {
                let text = self.texts[*code as usize].as_utf8().unwrap_or("");
                *unknown.insert(strings.intern(known(text)))
            }
            None => StrId(0),
        };
        codes.iter().map(&mut id).collect()
    }
}

/// A column chunk, front to back, as long as its pages are by dictionary.
pub struct Codes {
    pages: Box<dyn PageReader>,
    /// Whether rows may have no value.
    is_optional: bool,
    dictionary: Rc<Dictionary>,
    dictionary_page: Option<Page>,
    page: Option<Open>,
}

/// A page being read.
struct Open {
    levels: Option<Hybrid>,
    codes: Hybrid,
    n_left: usize,
}

/// The next rows.
pub enum Next {
    /// As many as were asked for, or all there are.
    Rows(Vec<u32>),
    /// Fewer: a page comes that is written otherwise. What follows is to be read by the library.
    Other(Vec<u32>, Box<dyn PageReader>),
}

impl Codes {
    pub fn new(pages: Box<dyn PageReader>, is_optional: bool) -> Codes {
        Codes { pages, is_optional, dictionary: Rc::default(), dictionary_page: None, page: None }
    }

    /// The texts that codes point into.
    pub fn dictionary(&self) -> Rc<Dictionary> {
        self.dictionary.clone()
    }

    /// The next `n` rows.
    pub fn next(&mut self, n: usize) -> Result<Next, Found> {
        let mut out = Vec::with_capacity(n);
        while out.len() < n {
            match &mut self.page {
                Some(page) if page.n_left > 0 => page.take(n - out.len(), self.dictionary.texts.len(), &mut out)?,
                _ => match self.pages.get_next_page().map_err(|e| errors::found(&e))? {
                    None => break,
                    Some(page @ Page::DictionaryPage { .. }) => {
                        self.dictionary = Rc::new(Dictionary::read(page.buffer()));
                        self.dictionary_page = Some(page);
                    }
                    Some(page) => match open(&page, self.is_optional)? {
                        Some(opened) => self.page = Some(opened),
                        None => {
                            let pages = std::mem::replace(&mut self.pages, Box::new(RemainingPages { front: Vec::new(), pages: None }));
                            let front = std::iter::once(page).chain(self.dictionary_page.take()).collect();
                            return Ok(Next::Other(out, Box::new(RemainingPages { front, pages: Some(pages) })));
                        }
                    },
                },
            }
        }
        Ok(Next::Rows(out))
    }
}

/// Opens a page of codes; `None` when it holds something else.
fn open(page: &Page, is_optional: bool) -> Result<Option<Open>, Found> {
    let (buffer, n_levels, at, encoding) = match page {
        Page::DataPage { buf, encoding, def_level_encoding, .. } if is_optional => {
            let n = buf.first_chunk::<4>().map(|b| u32::from_le_bytes(*b) as usize);
            let (Some(n), Encoding::RLE) = (n, def_level_encoding) else { return Ok(None) };
            (buf, n, 4, encoding)
        }
        Page::DataPage { buf, encoding, .. } => (buf, 0, 0, encoding),
        Page::DataPageV2 { buf, encoding, def_levels_byte_len, rep_levels_byte_len: 0, .. } => {
            (buf, *def_levels_byte_len as usize, 0, encoding)
        }
        _ => return Ok(None),
    };
    #[allow(deprecated, reason = "older writers name it so")]
    if !matches!(encoding, Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY) {
        return Ok(None);
    }
    let Some(from) = n_levels.checked_add(at).filter(|from| *from <= buffer.len()) else {
        return Err(Found::ShortPage);
    };
    let levels = is_optional.then(|| Hybrid::new(buffer.slice(at..from), 1)).transpose()?;
    let n_left = page.num_values() as usize;
    // A page without a single value may end before the width.
    let width = buffer.get(from).copied().unwrap_or(0);
    let codes = Hybrid::new(buffer.slice((from + 1).min(buffer.len())..), u32::from(width))?;
    Ok(Some(Open { levels, codes, n_left }))
}

impl Open {
    /// Adds at most `n` rows.
    fn take(&mut self, n: usize, n_texts: usize, out: &mut Vec<u32>) -> Result<(), Found> {
        let n = n.min(self.n_left);
        self.n_left -= n;
        let begin = out.len();
        let mut levels = Vec::new();
        if let Some(all) = &mut self.levels {
            levels.reserve(n);
            all.take(n, &mut levels)?;
        }
        let n_held = if self.levels.is_some() { levels.iter().filter(|l| **l == 1).count() } else { n };
        self.codes.take(n_held, out)?;
        if out[begin..].iter().max().is_some_and(|most| *most as usize >= n_texts) {
            return Err(Found::OutsideDictionary);
        }
        if n_held < n {
            let held = out.split_off(begin);
            let mut held = held.into_iter();
            out.extend(levels.iter().map(|level| if *level == 1 { held.next().unwrap_or(ABSENT) } else { ABSENT }));
        }
        Ok(())
    }
}

/// Pages that were looked at, last one first, and those after them.
struct RemainingPages {
    front: Vec<Page>,
    pages: Option<Box<dyn PageReader>>,
}

impl PageReader for RemainingPages {
    fn get_next_page(&mut self) -> PageResult<Option<Page>> {
        match (self.front.pop(), &mut self.pages) {
            (Some(page), _) => Ok(Some(page)),
            (None, Some(pages)) => pages.get_next_page(),
            (None, None) => Ok(None),
        }
    }

    fn peek_next_page(&mut self) -> PageResult<Option<PageMetadata>> {
        match (self.front.last(), &mut self.pages) {
            (Some(page), _) => Ok(Some(PageMetadata {
                num_rows: None,
                num_levels: page.is_data_page().then(|| page.num_values() as usize),
                is_dict: page.is_dictionary_page(),
            })),
            (None, Some(pages)) => pages.peek_next_page(),
            (None, None) => Ok(None),
        }
    }

    fn skip_next_page(&mut self) -> PageResult<()> {
        match (self.front.pop(), &mut self.pages) {
            (None, Some(pages)) => pages.skip_next_page(),
            _ => Ok(()),
        }
    }
}

impl Iterator for RemainingPages {
    type Item = PageResult<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

#[cfg(test)]
mod tests {
    use crate::base::Member;
    use crate::formats::neuron_parquet::pages::reader::File;
    use parquet::data_type::{ByteArray, ByteArrayType};
    use parquet::file::properties::{WriterProperties, WriterVersion};
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;
    use std::ops::ControlFlow;
    use std::sync::Arc;

    /// A file with one text column with optional values.
    fn file(texts: &[Option<String>], properties: WriterProperties) -> Vec<u8> {
        let is_optional = texts.iter().any(Option::is_none);
        let schema = format!("message m {{ {} binary t (UTF8); }}", if is_optional { "optional" } else { "required" });
        let schema = Arc::new(parse_message_type(&schema).expect("a schema"));
        let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).expect("a writer");
        let mut group = writer.next_row_group().expect("a row group");
        let mut column = group.next_column().expect("columns").expect("the column");
        let values: Vec<ByteArray> = texts.iter().flatten().map(|t| ByteArray::from(t.as_str())).collect();
        let levels: Vec<i16> = texts.iter().map(|t| i16::from(t.is_some())).collect();
        column.typed::<ByteArrayType>().write_batch(&values, is_optional.then_some(&levels), None).expect("written");
        column.close().expect("the column's end");
        group.close().expect("the group's end");
        writer.into_inner().expect("the file's end")
    }

    /// By codes, plain, or mixed: the texts are those that were written.
    fn check(n: usize, text: impl Fn(usize) -> Option<String>) {
        let texts: Vec<Option<String>> = (0..n).map(text).collect();
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            for (is_by_codes, limit) in [(true, 1 << 20), (true, 600), (false, 1 << 20)] {
                let properties = WriterProperties::builder()
                    .set_writer_version(version)
                    .set_dictionary_enabled(is_by_codes)
                    .set_dictionary_page_size_limit(limit)
                    .set_data_page_size_limit(2000)
                    .set_write_batch_size(100);
                let member = Member::from_bytes("T.parquet", file(&texts, properties.build()));
                let file = File::open(&member).expect("it opens");
                let (mut found, mut strings) = (Vec::new(), crate::base::Interner::new());
                let done = file.rows_of_groups(&["t"], 0..u64::MAX, |batch, _| {
                    let ids = batch.ids(0, &mut strings);
                    for row in 0..batch.n_rows {
                        assert_eq!(strings.get(ids.get(row)), batch.text(0, row));
                        found.push(match batch.cell(0, row) {
                            crate::model::Cell::Text(text) => Some(text),
                            _ => None,
                        });
                    }
                    ControlFlow::Continue(())
                });
                assert_eq!(done, Ok(()));
                assert_eq!(found, texts, "{version:?}, by codes: {is_by_codes}, at most {limit} bytes");
            }
        }
    }

    #[test]
    fn texts_are_those_that_were_written() {
        check(0, |_| None);
        check(5000, |i| Some(format!("text {}", i % 7)));
        check(5000, |i| (i % 3 > 0).then(|| format!("text {}", i % 1000)));
        check(5000, |_| Some("one".into()));
        check(5000, |i| (i == 4000).then(|| "alone".into()));
        // More than a batch.
        check(70_000, |i| Some(format!("{}", i * i % 101)));
    }
}
