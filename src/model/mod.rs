//! The profile.
