//! The public XSpace protobuf messages, as far as they are read.

use prost::Message;

/// The root.
#[derive(Clone, PartialEq, Message)]
pub(super) struct XSpace {
    #[prost(message, repeated, tag = "1")]
    pub planes: Vec<XPlane>,
    #[prost(string, repeated, tag = "2")]
    pub errors: Vec<String>,
    #[prost(string, repeated, tag = "3")]
    pub warnings: Vec<String>,
    #[prost(string, repeated, tag = "4")]
    pub hostnames: Vec<String>,
}

/// A device, or what a tool collected.
#[derive(Clone, PartialEq, Message)]
pub(super) struct XPlane {
    #[prost(int64, tag = "1")]
    pub id: i64,
    #[prost(string, tag = "2")]
    pub name: String,
    #[prost(message, repeated, tag = "3")]
    pub lines: Vec<XLine>,
    #[prost(message, repeated, tag = "4")]
    pub event_metadata: Vec<EventEntry>,
    #[prost(message, repeated, tag = "5")]
    pub stat_metadata: Vec<StatEntry>,
    #[prost(message, repeated, tag = "6")]
    pub stats: Vec<XStat>,
}

/// A row.
#[derive(Clone, PartialEq, Message)]
pub(super) struct XLine {
    #[prost(int64, tag = "1")]
    pub id: i64,
    #[prost(string, tag = "2")]
    pub name: String,
    #[prost(int64, tag = "3")]
    pub timestamp_ns: i64,
    #[prost(message, repeated, tag = "4")]
    pub events: Vec<XEvent>,
    #[prost(string, tag = "11")]
    pub display_name: String,
}

/// A span on a row.
#[derive(Clone, PartialEq, Message)]
pub(super) struct XEvent {
    #[prost(int64, tag = "1")]
    pub metadata_id: i64,
    #[prost(int64, tag = "2")]
    pub offset_ps: i64,
    #[prost(int64, tag = "3")]
    pub duration_ps: i64,
    #[prost(message, repeated, tag = "4")]
    pub stats: Vec<XStat>,
    #[prost(int64, tag = "5")]
    pub num_occurrences: i64,
}

/// A named value; text may are in `stat_metadata` instead.
#[derive(Clone, PartialEq, Message)]
pub(super) struct XStat {
    #[prost(int64, tag = "1")]
    pub metadata_id: i64,
    #[prost(double, optional, tag = "2")]
    pub double_value: Option<f64>,
    #[prost(uint64, optional, tag = "3")]
    pub uint64_value: Option<u64>,
    #[prost(int64, optional, tag = "4")]
    pub int64_value: Option<i64>,
    #[prost(string, optional, tag = "5")]
    pub str_value: Option<String>,
    #[prost(bytes = "vec", optional, tag = "6")]
    pub bytes_value: Option<Vec<u8>>,
    #[prost(uint64, optional, tag = "7")]
    pub ref_value: Option<u64>,
}

/// An entry of a map.
#[derive(Clone, PartialEq, Message)]
pub(super) struct EventEntry {
    #[prost(int64, tag = "1")]
    pub key: i64,
    #[prost(message, optional, tag = "2")]
    pub value: Option<EventMetadata>,
}

/// Name of an event.
#[derive(Clone, PartialEq, Message)]
pub(super) struct EventMetadata {
    #[prost(string, tag = "2")]
    pub name: String,
    #[prost(string, tag = "4")]
    pub display_name: String,
}

/// An entry of a map.
#[derive(Clone, PartialEq, Message)]
pub(super) struct StatEntry {
    #[prost(int64, tag = "1")]
    pub key: i64,
    #[prost(message, optional, tag = "2")]
    pub value: Option<StatMetadata>,
}

/// Name of a value.
#[derive(Clone, PartialEq, Message)]
pub(super) struct StatMetadata {
    #[prost(string, tag = "2")]
    pub name: String,
}
