//! Sentences that several formats use in errors and in the ledger.

/// A claim without members.
pub const NO_FILE: &str = "No file was given to this importer.";

/// A truncated JSON text.
pub const JSON_ENDS_EARLY: &str = "The JSON ends early; all complete records before its end are read.";

/// Details of an item that was computed.
pub const NO_RECORD: &str = "This item has no record in the file.";

/// Details of an item of a member that is missing.
pub const RECORD_FILE_NOT_OPEN: &str = "The file of the record is not open.";

/// Metadata of a simulator.
pub const SIMULATION: &str = "The file is marked as a simulation, not a hardware run.";

/// JSON with bare constants.
pub const NOT_A_NUMBER: &str = "NaN or Infinity, which is not valid JSON, is read as a missing value.";

/// The last record of a truncated file.
pub const RECORD_TRUNCATED: &str = "The file ends inside the record.";

/// A record above the limit.
pub const RECORD_TOO_LONG: &str = "The record is longer than 64 MiB.";
