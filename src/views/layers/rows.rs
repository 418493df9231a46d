//! The hierarchy as branches of a tree table and as nodes of a flame graph.

use crate::analysis::device::layers::{ENGINES, LayerNode, Layers};
use crate::base::text;
use crate::ui::flame::Node;
use crate::ui::table::{Cell, Column, Columns, Kind, Row};
use crate::ui::tree::Branch;
use crate::views::wording;

/// Cores and layers alike.
fn specs() -> Columns<LayerNode> {
    let first = Columns::<LayerNode>::new()
        .column("name", "Name", Kind::Name, "Core, layer, or compiled operation.", |n| Cell::Text(n.name.clone()))
        .column("level", "Level", Kind::Text, "Level in the hierarchy.", |n| Cell::Text(n.level.clone()))
        .column("occurrences", "Instructions", Kind::Count, "Instructions that touch the range.", |n| Cell::from(n.occurrences))
        .column(
            "active_ns",
            "Active",
            Kind::Duration,
            "Time in which any engine ran an instruction other than a semaphore wait; overlaps count once.",
            |n| Cell::Int(n.active.0),
        )
        .column("covered_ns", "Covered", Kind::Duration, "Active time plus semaphore waits.", |n| Cell::Int(n.covered.0))
        .column(
            "mfu",
            "MFU",
            Kind::Share,
            "FLOPs without transposes ÷ (peak of all cores × time from the first start to the last end).",
            |n| Cell::from(n.mfu),
        )
        .column(
            "hfu",
            "HFU",
            Kind::Share,
            "FLOPs with transposes ÷ (peak of all cores × time from the first start to the last end).",
            |n| Cell::from(n.hfu),
        )
        .column("flops", "FLOPs", Kind::Count, wording::FLOPS, |n| Cell::from(n.flops))
        .column("transpose_flops", "Transpose FLOPs", Kind::Count, wording::TRANSPOSE_FLOPS, |n| Cell::from(n.transpose_flops))
        .column(
            "adjusted_flops",
            "Adjusted FLOPs",
            Kind::Count,
            "FLOPs without transposes, in BF16 equivalents: FP32 counts four times, FP8 half from trn2 on.",
            |n| Cell::from(n.adjusted_flops),
        );
    let by_engine = ENGINES.iter().enumerate().fold(first, |columns, (at, engine)| {
        let id = engine.to_lowercase();
        let help = format!("Time in which the {engine} engine ran an instruction other than a semaphore wait.");
        let count = format!("Instructions of the {engine} engine.");
        columns
            .column(&format!("{id}_count"), &format!("{engine} #"), Kind::Count, &count, move |n| n.engines.get(at).map(|e| e.count).into())
            .column(&format!("{id}_active_ns"), &format!("{engine} active"), Kind::Duration, &help, move |n| {
                n.engines.get(at).map(|e| e.active).into()
            })
    });
    by_engine
        .column("hbm_read", "HBM read", Kind::Bytes, "Bytes that its instructions read from HBM.", |n| Cell::from(n.hbm_read))
        .column("hbm_written", "HBM written", Kind::Bytes, "Bytes that its instructions wrote to HBM.", |n| Cell::from(n.hbm_written))
        .column(
            "spilled",
            "Spilled",
            Kind::Bytes,
            "Part of HBM read and written that spills and reloads data because the State Buffer is full.",
            |n| Cell::from(n.spilled),
        )
        .column("sbuf", "SBUF bytes", Kind::Bytes, "Bytes that its instructions read from and wrote to the State Buffer.", |n| {
            Cell::from(n.sbuf_bytes)
        })
        .column(
            "dma_ns",
            "DMA time",
            Kind::Duration,
            "Time in which a DMA queue moved data. Only for cores: the layer of a transfer is not recorded in the file.",
            |n| Cell::from(n.dma),
        )
        .column("dma_bytes", "DMA bytes", Kind::Bytes, "Bytes of these transfers. Only for cores.", |n| Cell::from(n.dma_bytes))
        .column("start_ns", "Start", Kind::Duration, "Start of its first instruction, since the start of the execution window.", |n| {
            Cell::Int(n.start.0)
        })
        .column("end_ns", "End", Kind::Duration, "End of its last instruction.", |n| Cell::Int(n.end.0))
}

/// Columns, cores and layers alike.
pub fn columns() -> Vec<Column> {
    specs().headers()
}

/// The tree table's rows, in the order of the answer.
pub fn branches(layers: &Layers) -> Vec<Branch> {
    let columns = specs();
    let branch = |n: &LayerNode| Branch { row: Row { colour: Some(n.colour), ..columns.row(n) }, parent: n.parent };
    layers.nodes.iter().map(branch).collect()
}

/// The flame graph's nodes, in the same order.
pub fn flame(layers: &Layers) -> Vec<Node> {
    let node = |n: &LayerNode| Node {
        name: n.name.clone(),
        value: n.active.0,
        parent: n.parent,
        colour: n.colour,
        note: match n.mfu {
            Some(mfu) => format!("{} · {} instructions · MFU {}", n.level, text::count(n.occurrences), text::percent(mfu)),
            None => format!("{} · {} instructions", n.level, text::count(n.occurrences)),
        },
    };
    layers.nodes.iter().map(node).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_have_a_cell_per_column() {
        let layers = Layers { nodes: vec![LayerNode { name: "a".into(), ..LayerNode::default() }], ..Layers::default() };
        assert_eq!(branches(&layers)[0].row.cells.len(), columns().len());
        assert_eq!(branches(&layers)[0].row.cells[7], Cell::Absent, "what is not recorded is no zero");
        assert_eq!(flame(&layers).len(), 1);
    }
}
