//! The hierarchy as branches of a tree table and as nodes of a flame graph.

use crate::analysis::device::layers::{ENGINES, LayerNode, Layers};
use crate::base::text;
use crate::ui::flame::Node;
use crate::ui::table::{Cell, Column, Kind, Row};
use crate::ui::tree::Branch;
use crate::views::wording;

/// Columns, cores and layers alike.
pub fn columns() -> Vec<Column> {
    let column = Column::new;
    let mut out = vec![
        column("name", "Name", Kind::Name, "Core, layer, or compiled operation."),
        column("level", "Level", Kind::Text, "Level in the hierarchy."),
        column("occurrences", "Instructions", Kind::Count, "Instructions that touch the range."),
        column(
            "active_ns",
            "Active",
            Kind::Duration,
            "Time in which any engine ran an instruction other than a semaphore wait; overlaps count once.",
        ),
        column("covered_ns", "Covered", Kind::Duration, "Active time plus semaphore waits."),
        column("mfu", "MFU", Kind::Share, "FLOPs without transposes ÷ (peak of all cores × time from the first start to the last end)."),
        column("hfu", "HFU", Kind::Share, "FLOPs with transposes ÷ (peak of all cores × time from the first start to the last end)."),
        column("flops", "FLOPs", Kind::Count, wording::FLOPS),
        column("transpose_flops", "Transpose FLOPs", Kind::Count, wording::TRANSPOSE_FLOPS),
        column(
            "adjusted_flops",
            "Adjusted FLOPs",
            Kind::Count,
            "FLOPs without transposes, in BF16 equivalents: FP32 counts four times, FP8 half from trn2 on.",
        ),
    ];
    for engine in ENGINES {
        let id = engine.to_lowercase();
        out.push(column(&format!("{id}_count"), &format!("{engine} #"), Kind::Count, &format!("Instructions of the {engine} engine.")));
        let help = format!("Time in which the {engine} engine ran an instruction other than a semaphore wait.");
        out.push(column(&format!("{id}_active_ns"), &format!("{engine} active"), Kind::Duration, &help));
    }
    out.extend([
        column("hbm_read", "HBM read", Kind::Bytes, "Bytes that its instructions read from HBM."),
        column("hbm_written", "HBM written", Kind::Bytes, "Bytes that its instructions wrote to HBM."),
        column(
            "spilled",
            "Spilled",
            Kind::Bytes,
            "Part of HBM read and written that spills and reloads data because the State Buffer is full.",
        ),
        column("sbuf", "SBUF bytes", Kind::Bytes, "Bytes that its instructions read from and wrote to the State Buffer."),
        column(
            "dma_ns",
            "DMA time",
            Kind::Duration,
            "Time in which a DMA queue moved data. Only for cores: the layer of a transfer is not recorded in the file.",
        ),
        column("dma_bytes", "DMA bytes", Kind::Bytes, "Bytes of these transfers. Only for cores."),
        column("start_ns", "Start", Kind::Duration, "Start of its first instruction, since the start of the execution window."),
        column("end_ns", "End", Kind::Duration, "End of its last instruction."),
    ]);
    out
}

fn cells(n: &LayerNode) -> Vec<Cell> {
    let mut out = vec![
        Cell::Text(n.name.clone()),
        Cell::Text(n.level.clone()),
        Cell::from(n.occurrences),
        Cell::Int(n.active.0),
        Cell::Int(n.covered.0),
        Cell::from(n.mfu),
        Cell::from(n.hfu),
        Cell::from(n.flops),
        Cell::from(n.transpose_flops),
        Cell::from(n.adjusted_flops),
    ];
    for engine in &n.engines {
        out.extend([Cell::from(engine.count), Cell::Int(engine.active.0)]);
    }
    out.extend([Cell::from(n.hbm_read), Cell::from(n.hbm_written), Cell::from(n.spilled), Cell::from(n.sbuf_bytes)]);
    out.extend([Cell::from(n.dma), Cell::from(n.dma_bytes), Cell::Int(n.start.0), Cell::Int(n.end.0)]);
    out
}

/// The tree table's rows, in the order of the answer.
pub fn branches(layers: &Layers) -> Vec<Branch> {
    let branch = |n: &LayerNode| Branch { row: Row { colour: Some(n.colour), ..Row::new(cells(n)) }, parent: n.parent };
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
        assert_eq!(branches(&layers)[0].row.cells[7], Cell::Absent, "what is not told is no zero");
        assert_eq!(flame(&layers).len(), 1);
    }
}
