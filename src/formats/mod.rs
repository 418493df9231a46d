//! A folder per format; the list of them.
