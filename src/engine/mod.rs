//! One open profile and its queries.
