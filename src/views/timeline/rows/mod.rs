//! Which rows there are, in which order, and what is folded: as data, and as columns with other rows.

pub mod arrange;
pub mod by_path;
pub(crate) mod by_path_text;
pub mod choices;
pub mod dma;
pub mod folding;
pub mod in_view;
pub mod kinds;
pub mod layout;
pub mod logical;
pub mod name_rows;
pub mod regroup;
