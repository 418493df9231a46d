//! Values over time of a trace, under the sections and keys of the device JSON: limits of throttling and DMA throughput.

use super::info::{Info, Region};
use super::records::{self, Packet, Record};
use super::transfers::{Pending, Step};
use super::{info, limits, regions, window};
use crate::base::{InputSet, Ledger, Member};
use crate::formats::neuron_json::timeline::throughput::{self, Moved};
use crate::formats::{ImportError, Sample};
use crate::model::Cell;

/// Calls `each` with every value of the execution window.
pub(super) fn samples(input: &InputSet, each: &mut dyn FnMut(&str, &Sample<'_>)) -> Result<(), ImportError> {
    let member = input.members.first().ok_or_else(|| ImportError::Invalid("Expected a trace, found no file.".into()))?;
    let mut info = info::read_info(member)?;
    // What is wrong with the file is in the ledger of its import.
    let mut ledger = Ledger::default();
    regions::check(&member.name, member.len(), &mut info, &mut ledger)?;
    let window = window::window(member, &info, &mut ledger)?;
    let ns = |time: u64| Cell::Int(i64::try_from(time.saturating_sub(window.0) / 1000).unwrap_or(i64::MAX));
    let name = |info: &Info, region: &Region| info.subgraphs.iter().find(|s| s.nc == region.nc).map(|s| s.name.clone());
    for region in info.regions.iter().filter(|r| (r.trace, r.block) == (records::THROTTLES, 0)) {
        let Some(subgraph) = name(&info, region) else { continue };
        for limit in limits::within(&all(member, region)?, window) {
            let fields = [
                ("subgraph".into(), Cell::Text(subgraph.clone())),
                ("timestamp".into(), ns(limit.from)),
                ("duration".into(), Cell::Int(limit.duration)),
                ("k".into(), Cell::Int(limit.k.into())),
                ("n".into(), Cell::Int(limit.n.into())),
                ("type".into(), Cell::Int(limit.kind.into())),
            ];
            each("ham", &Sample(&fields));
        }
    }
    for subgraph in &info.subgraphs {
        let mut moved = Vec::new();
        for region in info.regions.iter().filter(|r| (r.trace, r.block, r.nc) == (records::TRANSFERS, 1, subgraph.nc)) {
            transfers(member, region, window, &mut moved)?;
        }
        throughput::samples(&mut moved, &mut |rate| {
            let fields = [
                ("subgraph".into(), Cell::Text(subgraph.name.clone())),
                ("timestamp".into(), ns(rate.time)),
                ("transfer_rate".into(), Cell::Float(rate.rate)),
                ("total_transfer_bytes".into(), i64::try_from(rate.total).map_or(Cell::Absent, Cell::Int)),
            ];
            each("dma_throughput", &Sample(&fields));
        });
    }
    Ok(())
}

/// Every record of a region: of throttling, few.
fn all(member: &Member, region: &Region) -> Result<Vec<Record>, ImportError> {
    let mut out = Vec::new();
    window::blocks(member, region.span, &mut |block, at| out.extend(Record::all(block, at)))?;
    Ok(out)
}

/// Adds the transfers of a region that the profiler counts.
fn transfers(member: &Member, region: &Region, window: (u64, u64), moved: &mut Vec<Moved>) -> Result<(), ImportError> {
    let mut pending = Pending::default();
    let mut each = |record: Record| {
        let Some(packet) = Packet::read(&record) else { return };
        let Step::End { start, is_late } = pending.step(&record, &packet, window) else { return };
        let (from, to) = (start.time(), record.time());
        if !is_late && window.0 <= from && from <= to && to <= window.1 && record.bytes[2] == 0 {
            moved.push(Moved::new(from, to, packet.bytes));
        }
    };
    window::blocks(member, region.span, &mut |block, at| Record::all(block, at).for_each(&mut each))
}
