//! Files of Neuron's tools in unpublished formats: they are recognised, and the error says how to export them.

use super::file_name::file_name;
use crate::base::MemberHead;

/// Parts of a raw system profile.
const SYSTEM: [&str; 4] = ["ntrace.pb", "trace_info.pb", "cpu_util.pb", "host_mem.pb"];

/// The end of a sentence that begins with the name of such a file; `None` for any other file.
pub fn how_to_export(head: &MemberHead) -> Option<&'static str> {
    let name = file_name(&head.name);
    if !is_protobuf(&head.head) {
        return None;
    }
    if SYSTEM.contains(&name) {
        return Some(
            "is part of a raw Neuron system profile, a protobuf without a published schema. Export the directory with \
             `neuron-explorer view -d DIR --output-format parquet` (or, with older releases, `neuron-profile view -d DIR \
             --output-format json`) and open its output",
        );
    }
    let is_inf1 = name.ends_with(".pb") && head.name.to_ascii_lowercase().contains("neuron");
    is_inf1.then_some(
        "is a protobuf of an older Neuron tool, perhaps of the TensorBoard plugin for Inf1, without a published schema. Open it with \
         `tensorboard --run_neuron_profiler` of that release, or profile again with a current one and export JSON or Parquet",
    )
}

/// Whether the bytes begin with a field of a protobuf, and are no text.
fn is_protobuf(bytes: &[u8]) -> bool {
    let Some(&key) = bytes.first() else {
        return false;
    };
    let is_text = bytes.iter().take(64).all(|b| (0x20..0x7f).contains(b) || b.is_ascii_whitespace());
    key >> 3 != 0 && key < 0x80 && matches!(key & 7, 0 | 1 | 2 | 5) && !(is_text && bytes.len() > 1 && !matches!(key, b'\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence(name: &str, bytes: &[u8]) -> Option<&'static str> {
        how_to_export(&MemberHead { name: name.into(), len: bytes.len() as u64, head: bytes.to_vec(), is_gzip: false })
    }

    #[test]
    fn parts_of_a_system_profile_are_recognised_by_name_and_content() {
        for name in SYSTEM {
            let sentence = sentence(&format!("i-1_pid_7/5/{name}"), &[0x0a, 0x03, 1, 2, 3]).expect("known");
            assert!(sentence.contains("neuron-explorer view -d DIR"), "{sentence}");
        }
        assert!(sentence("neuron_profile/model.pb", &[0x08, 0x96, 0x01]).is_some_and(|s| s.contains("Inf1")));
        assert_eq!(sentence("ntrace.pb", b"<html>"), None);
        assert_eq!(sentence("ntrace.pb", b""), None);
        assert_eq!(sentence("other.pb", &[0x0a, 0x03, 1, 2, 3]), None);
    }
}
