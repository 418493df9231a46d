//! What each slice is, by its category: the plugin's table, and what today's traces add to it.

use super::names::{self, Names};
use super::rules::Rules;
use crate::base::{StrId, for_each_chunk};
use crate::model::torch::ABSENT;
use crate::model::{Profile, Torch};
use rustc_hash::FxHashMap;

/// What a slice is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum Class {
    /// Nothing that an analysis counts.
    #[default]
    Ignored,
    /// `cpu_op`, `Operator`.
    Operator,
    /// A call to the device's runtime; also to its driver where that counts.
    Runtime,
    /// Runs on a device.
    Kernel,
    /// A copy on a device.
    Memcpy,
    /// Sets memory on a device.
    Memset,
    /// A host range of category `python`.
    Python,
    /// A Python function.
    PythonFunction,
    /// A call of an `nn.Module`.
    Module,
    /// A range named by the program on the host.
    Annotation,
    /// A range named by the program, as the device ran it.
    DeviceAnnotation,
    /// `ProfilerStep#`.
    Step,
    /// The profiler's own span.
    Span,
    /// `[pl][module]…` of Lightning.
    LightningModule,
    /// `[pl][profile]…` of Lightning.
    LightningRange,
    /// An operator or module of a graph replay, attributed from its capture.
    Replayed,
    /// Waits on a device, as recorded by CUPTI.
    Sync,
}

impl Class {
    /// Work of a device.
    pub fn is_device(self) -> bool {
        matches!(self, Class::Kernel | Class::Memcpy | Class::Memset)
    }

    /// Whether the plugin keeps it at all.
    pub fn is_read_by_plugin(self) -> bool {
        !matches!(self, Class::Ignored | Class::Sync | Class::Replayed)
    }
}

/// A slice's class by its category (any case), before its name is looked at.
pub fn of_category(cat: &str, rules: &Rules) -> Class {
    match cat.to_ascii_lowercase().as_str() {
        "trace" => Class::Span,
        "cpu_op" | "operator" => Class::Operator,
        "runtime" | "cuda_runtime" | "mtia_runtime" | "glow_runtime" | "xpu_runtime" | "privateuse1_runtime" => Class::Runtime,
        "cuda_driver" | "xpu_driver" | "privateuse1_driver" if rules.has_driver_launches => Class::Runtime,
        "kernel" => Class::Kernel,
        "mtia_ccp_events" if rules.has_driver_launches => Class::Kernel,
        "memcpy" | "gpu_memcpy" => Class::Memcpy,
        "memset" | "gpu_memset" => Class::Memset,
        "python" => Class::Python,
        "python_function" => Class::PythonFunction,
        "user_annotation" => Class::Annotation,
        "gpu_user_annotation" if rules.are_device_annotations_apart => Class::DeviceAnnotation,
        "gpu_user_annotation" => Class::Annotation,
        "cuda_sync" | "xpu_sync" => Class::Sync,
        _ => Class::Ignored,
    }
}

/// The class of every slice.
pub fn classes(profile: &Profile, torch: &Torch, names: &Names, rules: &Rules) -> Vec<Class> {
    let n = profile.slices.len();
    let mut out = vec![Class::Ignored; n];
    let Some(category) = profile.attribute("category") else {
        return out;
    };
    let mut known: FxHashMap<StrId, Class> = FxHashMap::default();
    let mut last = (StrId(u32::MAX), Class::Ignored);
    for_each_chunk(n, &mut |part| {
        for i in part {
            let cat = category.values[i];
            if cat != last.0 {
                last = (cat, *known.entry(cat).or_insert_with(|| of_category(profile.strings.get(cat), rules)));
            }
            out[i] = by_name(last.1, names.of(profile.slices.name[i]), rules);
        }
    });
    let has_modules = torch.framework != "pytorch-lightning" || rules.is_linked_by_time;
    for function in torch.functions.iter().filter(|f| f.module != ABSENT && has_modules) {
        if let Some(class) = out.get_mut(function.slice as usize).filter(|c| **c == Class::PythonFunction) {
            *class = Class::Module;
        }
    }
    for node in &torch.replays.nodes {
        if let Some(class) = out.get_mut(node.slice as usize) {
            *class = Class::Replayed;
        }
    }
    out
}

fn by_name(class: Class, flags: names::Flags, rules: &Rules) -> Class {
    let is_annotation = class == Class::Annotation;
    if !is_annotation && class != Class::Operator {
        return class;
    }
    if flags & names::STEP != 0 {
        return Class::Step;
    }
    let may_be_lightning = class == Class::Operator || rules.is_linked_by_time;
    match flags & (names::LIGHTNING_MODULE | names::LIGHTNING_RANGE) {
        names::LIGHTNING_MODULE if may_be_lightning => Class::LightningModule,
        names::LIGHTNING_RANGE if may_be_lightning => Class::LightningRange,
        _ => class,
    }
}
