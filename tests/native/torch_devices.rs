//! What opening a trace works out alone is what the whole model says.

use crate::common::{conformance, open};
use axonscope::analysis::torch::TorchModel;
use axonscope::analysis::torch::core::devices::Devices;
use axonscope::base::InputSet;
use axonscope::model::Domain;
use std::path::{Path, PathBuf};

fn traces(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()) {
        if entry.is_dir() {
            traces(&entry, out);
        } else if entry.extension().is_some_and(|e| e == "gz" || e == "json") {
            out.push(entry);
        }
    }
}

#[test]
fn devices_and_marks_are_those_of_the_model() {
    let Some(folder) = conformance("kineto/traces") else {
        return;
    };
    let mut paths = Vec::new();
    traces(&folder, &mut paths);
    let mut n_devices = 0;
    for path in paths {
        let bytes = std::fs::read(&path).expect("readable");
        let (imported, _) = open(&InputSet::from_bytes(path.display().to_string(), bytes));
        let Domain::Torch(torch) = &imported.profile.domain else {
            continue;
        };
        let (alone, model) = (Devices::new(&imported.profile, torch), TorchModel::new(&imported.profile, torch));
        assert_eq!(alone.marks, model.steps.marks, "{path:?}");
        assert_eq!(alone.gpus.len(), model.gpus.len(), "{path:?}");
        for (a, b) in alone.gpus.iter().zip(&model.gpus) {
            n_devices += 1;
            assert_eq!((a.id, &a.busy, &a.use_of_sms, a.n_kernels), (b.id, &b.busy, &b.use_of_sms, b.n_kernels), "{path:?}");
        }
    }
    assert!(n_devices > 10, "{n_devices} devices compared");
}
