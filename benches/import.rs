//! Import speed of a made-up trace, natively. `cargo bench --bench import`

#[cfg(not(target_arch = "wasm32"))]
#[allow(dead_code, reason = "shared with the example that writes traces")]
#[path = "../tests/native/common/made_trace.rs"]
mod made_trace;

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use super::made_trace::{Options, write_trace};
    use axonscope::base::InputSet;
    use axonscope::formats::import;
    use axonscope::formats::json::{RootKeyAction, Sink, Splitter, split::Damage};
    use criterion::{Criterion, Throughput, criterion_group};
    use std::hint::black_box;
    use std::time::Duration;

    /// Counts records and reads none.
    #[derive(Default)]
    struct Count(u64);

    impl Sink for Count {
        fn key(&mut self, key: &[u8], _begins: u8, _: u64) -> RootKeyAction {
            if key == b"traceEvents" { RootKeyAction::Records } else { RootKeyAction::Skip }
        }
        fn record(&mut self, _text: &[u8], _offset: u64) -> bool {
            self.0 += 1;
            true
        }
        fn value(&mut self, _key: &[u8], _text: &[u8], _offset: u64) {}
        fn damaged(&mut self, _text: &[u8], _offset: u64, _damage: Damage) {}
    }

    fn import_speed(c: &mut Criterion) {
        let mut text = Vec::new();
        let options = Options { n_bytes: 20_000_000, seed: 1, has_stack: false, is_rich: false };
        if write_trace(&mut text, options).is_err() {
            return;
        }
        let mut group = c.benchmark_group("kineto, 20 MB");
        group.throughput(Throughput::Bytes(text.len() as u64)).sample_size(20).measurement_time(Duration::from_secs(5));
        group.bench_function("split into records", |b| {
            b.iter(|| {
                let mut count = Count::default();
                Splitter::default().feed(&text, &mut count);
                black_box(count.0)
            });
        });
        let input = InputSet::from_bytes("made.json", text);
        group.bench_function("import", |b| b.iter(|| black_box(import::import(&input))));
        group.finish();
    }

    criterion_group!(benches, import_speed);
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    native::benches();
    criterion::Criterion::default().configure_from_args().final_summary();
}

#[cfg(target_arch = "wasm32")]
fn main() {}
