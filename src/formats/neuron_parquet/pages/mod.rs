//! One Parquet file: its bytes, pages, dictionaries and columns, read in batches of rows.

pub mod batch;
pub mod column;
pub mod dictionary;
pub mod errors;
pub mod panic_context;
pub mod reader;
pub mod rle;
pub mod row_group;
pub mod source;
