//! Links, annotations and workspaces out of hostile bytes: the kept corpus of the fuzz targets, and damaged ones of what is written.

use proptest::prelude::*;
use std::path::Path;

#[path = "../../tests/support/page_targets.rs"]
mod page_targets;

const SEEDS: [&str; 4] = [
    "v=1&p=abc&n=trace.json&view=operators&range=10-500&rows=a%7Cb&win=0-99&sel=GPU%200%20/%20stream%207|12|gemm&q=aten&s.operators.sort=self%3Adown",
    r#"{"kind":"axonscope annotations","version":1,"of":{"hash":"h","name":"n"},"set":{"items":[{"id":1,"name":"a","colour":2,"start":5,"end":9,"versus":2},{"id":2,"name":"b","colour":0,"start":7,"end":null,"versus":null}]}}"#,
    "name,start_ns,end_ns,colour,versus\r\n\"a, b\",5,9,1,c\r\nc,7,,0,\r\n",
    r#"{"kind":"axonscope workspace","version":1,"front":"h","layout":"right","profiles":[{"hash":"h","name":"n.json","link":"v=1&p=h&view=gaps","annotations":{}}],"queries":[["top","select 1"]]}"#,
];

#[test]
fn the_kept_corpus_is_survived() {
    for (name, run) in page_targets::PAGE {
        SEEDS.iter().for_each(|seed| run(seed.as_bytes()));
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(name);
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            run(&std::fs::read(entry.expect("an entry").path()).expect("a file"));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_texts_are_survived(
        seed in 0..SEEDS.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0u8..4, any::<u8>()), 0..8),
    ) {
        let mut bytes = SEEDS[seed].as_bytes().to_vec();
        for (at, what, byte) in changes {
            let at = at.index(bytes.len());
            match what {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                2 if bytes.len() > 1 => drop(bytes.remove(at)),
                _ => bytes.truncate(bytes.len().min(at + bytes.len() / 2).max(1)),
            }
        }
        page_targets::PAGE.iter().for_each(|target| target.1(&bytes));
    }
}
