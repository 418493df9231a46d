//! Which slices of a PyTorch trace are rows of its tables.

use crate::analysis::torch::View;
use crate::analysis::torch::core::class::Class;
use crate::analysis::torch::core::events::{NONE, NodeKind};
use crate::model::NO_SLICE;

/// Which slices are rows, and what they belong to.
#[derive(Debug)]
pub(super) struct TorchIndex {
    /// Slices of operators, in the order of the profile.
    pub operators: Vec<u32>,
    /// Work of each row of `Torch::kernels`, or [`NONE`].
    pub work_of_kernel: Vec<u32>,
    /// Node of each slice, or [`NONE`].
    pub node_of: Vec<u32>,
    /// Slice of the innermost operator and module around each node, itself included, or [`NO_SLICE`].
    pub around: Vec<(u32, u32)>,
}

impl TorchIndex {
    /// Indexes a trace.
    pub fn new(view: &View<'_>) -> Self {
        let (model, trees) = (view.model, &view.model.trees);
        let operators = (0..model.class.len() as u32).filter(|i| model.class[*i as usize] == Class::Operator).collect();
        let mut work_of_kernel = vec![NONE; view.torch.kernels.len()];
        for (work, row) in model.kernel_of.iter().enumerate() {
            if let Some(of) = work_of_kernel.get_mut(*row as usize) {
                *of = work as u32;
            }
        }
        let mut around: Vec<(u32, u32)> = Vec::with_capacity(trees.len());
        let mut node_of = vec![NONE; model.class.len()];
        for node in 0..trees.len() {
            // Parents are before their children.
            let (mut operator, mut module) = around.get(trees.parent[node] as usize).copied().unwrap_or((NO_SLICE, NO_SLICE));
            let slice = trees.slice[node];
            if slice != NO_SLICE {
                if let Some(of) = node_of.get_mut(slice as usize) {
                    *of = node as u32;
                }
                match trees.kind[node] {
                    NodeKind::Operator => operator = slice,
                    NodeKind::Module => module = slice,
                    _ => {}
                }
            }
            around.push((operator, module));
        }
        TorchIndex { operators, work_of_kernel, node_of, around }
    }
}
