//! One open profile and its queries: the only door from the page to analysis.

mod agreement;
mod answer_cache;
mod attribution;
mod cells;
mod derived;
mod device;
mod device_ahead;
mod device_curves;
pub mod export;
pub mod export_trace;
mod fleet;
mod full;
mod general;
mod general_rows;
mod hit_answers;
pub mod instruction_rows;
mod neuron;
mod owners;
pub mod page_columns;
pub mod query;
pub mod question;
pub mod question_list;
pub mod range_records;
mod record_fields;
mod renamed;
pub mod scan;
pub mod scoped;
pub mod session;
pub mod slice_summary;
mod snapshot;
pub mod tables;
mod torch;
mod variants;
pub mod views;
mod warm_up;

// What the page draws and lists; it knows the model by these types alone.
pub use crate::model::{Cell, Counter, Lane, Meta, ProfileKind, Series, Track, TrackKind, TrackRuns};
pub use answer_cache::AnswerCache;
pub use full::learn;
pub use page_columns::{PageColumns, PageInstants, PageMeta};
pub use question::{Question, Refusal, Wire};
pub use question_list::{Answer, EncodedAnswer, EncodedQuery, NoAnswer, Query, link_all};
pub use renamed::encode;
pub use session::{Preparation, QuestionAhead, Session};
pub use torch::TraceQuestion;
pub use warm_up::{synthetic_trace, warm_up, warm_up_for_runs};
