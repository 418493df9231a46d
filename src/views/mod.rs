//! A folder per view.
