//! Counters (`ph` C): a track per process, name and id; a series per arg.

use crate::base::{StrId, TrackId};
use crate::formats::json::{Cursor, Value, number, unescape};
use crate::model::{CounterSpec, ProfileBuilder, TrackKind, TrackSpec};
use rustc_hash::FxHashMap;

/// More series than anyone reads; also bounds what a hostile file can make us hold.
const SERIES_MAX: usize = 64;

/// What is unusual about a sample.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sampled {
    /// Series with a number.
    pub n_values: usize,
    /// Args that are no number.
    pub n_other: usize,
    /// Series beyond the most we hold.
    pub n_beyond: usize,
}

struct Building {
    track: TrackId,
    spec: CounterSpec,
    last: Vec<f64>,
}

/// All counters of a trace.
#[derive(Default)]
pub struct Counters {
    counters: Vec<Building>,
    of: FxHashMap<(usize, StrId, StrId), usize>,
}

impl Counters {
    /// Adds the sample in `args`; a series that is not in it keeps its value. The key is (process, name, id).
    pub fn sample(&mut self, key: (usize, StrId, StrId), parent: TrackId, time: i64, args: &[u8], builder: &mut ProfileBuilder) -> Sampled {
        let at = *self.of.entry(key).or_insert_with(|| {
            let name = [builder.strings.get(key.1), builder.strings.get(key.2)].join(" ");
            let spec =
                TrackSpec { parent: Some(parent), name: name.trim().into(), kind: TrackKind::Counter, sort: super::lanes::AFTER_THREADS };
            let track = builder.track(spec);
            self.counters.push(Building { track, spec: CounterSpec::default(), last: Vec::new() });
            self.counters.len() - 1
        });
        let counter = &mut self.counters[at];
        let mut sampled = Sampled::default();
        let mut cursor = Cursor::new(args);
        while let Ok(Some(name)) = cursor.key() {
            let value = match cursor.value() {
                Ok(Value::Bare(text) | Value::Text(text)) => number::float(text),
                Ok(_) => None,
                Err(_) => break,
            };
            let (Some(value), name) = (value, unescape(name)) else {
                sampled.n_other += 1;
                continue;
            };
            match counter.spec.series.iter().position(|s| *s == name) {
                Some(i) => counter.last[i] = value,
                None if counter.spec.series.len() < SERIES_MAX => {
                    counter.spec.series.push(name.into_owned());
                    counter.last.push(value);
                }
                None => {
                    sampled.n_beyond += 1;
                    continue;
                }
            }
            sampled.n_values += 1;
        }
        if sampled.n_values > 0 {
            counter.spec.samples.push((time, counter.last.clone()));
        }
        sampled
    }

    /// Hands them to the builder.
    pub fn settle(self, builder: &mut ProfileBuilder) {
        for mut counter in self.counters {
            counter.spec.is_stacked = counter.spec.series.len() > 1;
            builder.counter(counter.track, counter.spec);
        }
    }
}
