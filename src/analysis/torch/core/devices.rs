//! What the timeline's counters and step marks need of a trace, computed alone: opening a trace does not wait for the whole model.

use super::class::{self, Class};
use super::events::order_as_in_file;
use super::gpu::Gpu;
use super::link::Sources;
use super::names::Names;
use super::rules::{Era, Rules};
use super::steps::{self, Step};
use crate::model::{Profile, Torch};

/// Devices and marks; the same as those of the whole model.
#[derive(Debug, Default)]
pub struct Devices {
    /// Indexed by slice.
    pub class: Vec<Class>,
    /// Ordered by id.
    pub gpus: Vec<Gpu>,
    /// The host's step marks, by start.
    pub marks: Vec<Step>,
}

impl Devices {
    /// Works them out.
    pub fn new(profile: &Profile, torch: &Torch) -> Self {
        let era = Era::of(profile, torch);
        let rules = Rules::of(era);
        let names = Names::new(profile);
        let class = class::classes(profile, torch, &names, &rules);
        let mut rows: Vec<u32> =
            (0..torch.kernels.len() as u32).filter(|r| class[torch.kernels[*r as usize].slice as usize].is_device()).collect();
        order_as_in_file(&mut rows, profile, |r| torch.kernels[*r as usize].slice);
        let work: Vec<u32> = rows.iter().map(|r| torch.kernels[*r as usize].slice).collect();
        let gpus = Gpu::all(&Sources { profile, torch, class: &class, names: &names, rules, era }, &work, &rows);
        let mut marked: Vec<u32> = (0..class.len() as u32).filter(|i| class[*i as usize] == Class::Step).collect();
        order_as_in_file(&mut marked, profile, |i| *i);
        let marks = steps::marks(profile, marked.into_iter());
        Devices { class, gpus, marks }
    }
}
