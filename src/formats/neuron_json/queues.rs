//! Names of DMA queues: many rings, one per DMA engine, make up what the user knows as one queue.

use rustc_hash::FxHashMap;

/// What is known of the queues of a profile.
#[derive(Debug, Default)]
pub(crate) struct QueueNames {
    /// Names by (subgraph, queue index); with two names the index is ambiguous.
    known: FxHashMap<(String, String), Vec<String>>,
}

impl QueueNames {
    /// Notes a queue. Only those with a known purpose are identified by their index: table loads share a ring with instruction fetches.
    pub fn add(&mut self, subgraph: &str, index: &str, name: &str, purpose: &str) {
        if name.is_empty() || purpose.is_empty() || purpose == "unknown" {
            return;
        }
        let names = self.known.entry((subgraph.into(), index.into())).or_default();
        if names.len() < 2 && !names.iter().any(|n| n == name) {
            names.push(name.into());
        }
    }

    /// The name of queue `index` in `subgraph`, if exactly one fits.
    pub fn of(&self, subgraph: &str, index: &str) -> Option<&str> {
        match self.known.get(&(subgraph.into(), index.into()))?.as_slice() {
            [name] => Some(name),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_is_named_when_only_one_name_fits() {
        let mut names = QueueNames::default();
        names.add("sg00", "0", "qSyncIO", "weights");
        names.add("sg00", "0", "qSyncIO", "weights");
        names.add("sg00", "1", "qA", "weights");
        names.add("sg00", "1", "qB", "weights");
        names.add("sg00", "14", "qScalarTable", "unknown");
        assert_eq!(names.of("sg00", "0"), Some("qSyncIO"));
        assert_eq!(names.of("sg00", "1"), None);
        assert_eq!(names.of("sg00", "14"), None);
        assert_eq!(names.of("sg01", "0"), None);
    }
}
