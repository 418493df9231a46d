//! What the answers of a PyTorch trace share: classes of events, links from kernels to operators, trees, steps.

use crate::model::{Profile, Torch};

/// Worked out once per trace.
#[derive(Debug, Default)]
pub struct TorchModel {}

impl TorchModel {
    /// Works it out.
    pub fn new(_profile: &Profile, _torch: &Torch) -> Self {
        TorchModel::default()
    }
}
