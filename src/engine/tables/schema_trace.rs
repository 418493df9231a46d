//! Tables of a trace: of everything with a timeline, and of PyTorch traces. `ts`, `dur` and ids are named as in Perfetto.

use super::Kind::*;
use super::{Column, Table, TableEntry};

const NS: &str = "nanoseconds";

/// Tables of every profile with a timeline.
pub(super) const TIMELINE: &[TableEntry] = &[
    (
        "slice",
        &[
            ("id", Int64, ""),
            ("ts", Int64, NS),
            ("dur", Int64, NS),
            ("name", Text, ""),
            ("category", Text, ""),
            ("track_id", Int64, ""),
            ("parent_id", Int64, ""),
            ("depth", Int32, ""),
            ("self_dur", Int64, NS),
            ("step", Text, ""),
        ],
    ),
    (
        "track",
        &[
            ("id", Int64, ""),
            ("parent_id", Int64, ""),
            ("name", Text, ""),
            ("path", Text, ""),
            ("kind", Text, ""),
            ("level", Int32, ""),
            ("n_slices", Int64, ""),
        ],
    ),
    ("process", &[("track_id", Int64, ""), ("pid", Text, ""), ("name", Text, "")]),
    (
        "thread",
        &[
            ("track_id", Int64, ""),
            ("process_track_id", Int64, ""),
            ("pid", Text, ""),
            ("tid", Text, ""),
            ("name", Text, ""),
            ("kind", Text, ""),
        ],
    ),
    (
        "counter",
        &[("ts", Int64, NS), ("track_id", Int64, ""), ("name", Text, ""), ("series", Text, ""), ("value", Double, ""), ("unit", Text, "")],
    ),
    ("instant", &[("id", Int64, ""), ("ts", Int64, NS), ("name", Text, ""), ("track_id", Int64, "")]),
    ("flow", &[("id", Int64, ""), ("slice_out", Int64, ""), ("slice_in", Int64, ""), ("kind", Text, "")]),
    ("args", &[("slice_id", Int64, ""), ("key", Text, ""), ("value", Text, ""), ("unit", Text, ""), ("group", Text, "")]),
];

/// Tables of a PyTorch trace.
pub(super) const TORCH: &[TableEntry] = &[
    (
        "kernel",
        &[
            ("slice_id", Int64, ""),
            ("ts", Int64, NS),
            ("dur", Int64, NS),
            ("name", Text, ""),
            ("device", Int64, ""),
            ("stream", Int64, ""),
            ("grid", Text, ""),
            ("block", Text, ""),
            ("registers", Int64, ""),
            ("shared_memory", Int64, "bytes"),
            ("blocks_per_sm", Double, ""),
            ("occupancy", Double, "percent"),
            ("bytes", Int64, "bytes"),
            ("correlation", Int64, ""),
            ("launch_id", Int64, ""),
            ("operator_id", Int64, ""),
            ("step", Text, ""),
        ],
    ),
    (
        "operator",
        &[
            ("slice_id", Int64, ""),
            ("ts", Int64, NS),
            ("dur", Int64, NS),
            ("name", Text, ""),
            ("shapes", Text, ""),
            ("types", Text, ""),
            ("concrete_inputs", Text, ""),
            ("module_id", Int64, ""),
            ("module", Text, ""),
            ("stack", Text, ""),
            ("external_id", Int64, ""),
            ("step", Text, ""),
        ],
    ),
    ("step", &[("name", Text, ""), ("ts", Int64, NS), ("dur", Int64, NS), ("slice_id", Int64, "")]),
    (
        "memory_event",
        &[
            ("ts", Int64, NS),
            ("track_id", Int64, ""),
            ("device_type", Int64, ""),
            ("device_id", Int64, ""),
            ("address", Text, ""),
            ("bytes", Int64, "bytes"),
            ("allocated", Int64, "bytes"),
            ("reserved", Int64, "bytes"),
        ],
    ),
    (
        "collective",
        &[
            ("slice_id", Int64, ""),
            ("ts", Int64, NS),
            ("dur", Int64, NS),
            ("name", Text, ""),
            ("collective", Text, ""),
            ("dtype", Text, ""),
            ("n_in", Int64, ""),
            ("n_out", Int64, ""),
            ("group_size", Int64, ""),
            ("group_name", Text, ""),
            ("seq", Int64, ""),
        ],
    ),
];

/// A table of these lists.
pub(super) fn entry(table: &TableEntry) -> Table {
    let column = |c: &super::ColumnEntry| Column { name: c.0.into(), kind: c.1, unit: c.2.into() };
    Table { name: table.0.into(), columns: table.1.iter().map(column).collect() }
}
