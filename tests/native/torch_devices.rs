//! What opening a trace works out alone is what the whole model says.

use crate::common::conformance;
use crate::torch_support::{Trace, traces_below};
use axonscope::analysis::torch::TorchModel;
use axonscope::analysis::torch::core::devices::Devices;
use axonscope::model::Domain;

#[test]
fn devices_and_marks_are_those_of_the_model() {
    let Some(folder) = conformance("kineto/traces") else {
        return;
    };
    let mut n_devices = 0;
    for path in traces_below(&folder) {
        let trace = Trace::open(&path);
        let Domain::Torch(torch) = &trace.profile.domain else {
            continue;
        };
        let (alone, model) = (Devices::new(&trace.profile, torch), TorchModel::new(&trace.profile, torch));
        assert_eq!(alone.marks, model.steps.marks, "{path:?}");
        assert_eq!(alone.gpus.len(), model.gpus.len(), "{path:?}");
        for (a, b) in alone.gpus.iter().zip(&model.gpus) {
            n_devices += 1;
            assert_eq!((a.id, &a.busy, &a.use_of_sms, a.n_kernels), (b.id, &b.busy, &b.use_of_sms, b.n_kernels), "{path:?}");
        }
    }
    assert!(n_devices > 10, "{n_devices} devices compared");
}
