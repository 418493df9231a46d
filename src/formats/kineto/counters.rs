//! Counters (`ph` C): a track per process, name and id; a series per arg.

use crate::base::{StrId, TrackId};
use crate::formats::json::{Cursor, Value, number, unescape};
use crate::model::{CounterSpec, ProfileBuilder, TrackKind, TrackSpec};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

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

#[derive(Serialize, Deserialize)]
struct Building {
    key: CounterKey,
    track: TrackId,
    spec: CounterSpec,
    last: Vec<f64>,
    /// Some series are beyond the most we hold.
    is_full: bool,
}

/// Process, name and id of a counter.
pub type CounterKey = (usize, StrId, StrId);

/// All counters of a trace.
#[derive(Default, Serialize, Deserialize)]
pub struct Counters {
    counters: Vec<Building>,
    #[serde(skip)]
    of: FxHashMap<CounterKey, usize>,
}

impl Counters {
    /// The position of a counter; a new one gets a track.
    fn place(&mut self, key: CounterKey, parent: TrackId, builder: &mut ProfileBuilder) -> usize {
        *self.of.entry(key).or_insert_with(|| {
            let name = [builder.strings.get(key.1), builder.strings.get(key.2)].join(" ");
            let spec =
                TrackSpec { parent: Some(parent), name: name.trim().into(), kind: TrackKind::Counter, sort: super::lanes::AFTER_THREADS };
            let track = builder.track(spec);
            self.counters.push(Building { key, track, spec: CounterSpec::default(), last: Vec::new(), is_full: false });
            self.counters.len() - 1
        })
    }

    /// Adds the sample in `args`; a series that is not in it keeps its value.
    pub fn sample(&mut self, key: CounterKey, parent: TrackId, time: i64, args: &[u8], builder: &mut ProfileBuilder) -> Sampled {
        let at = self.place(key, parent, builder);
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
                    counter.is_full = true;
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

    /// Key and track of each, by position.
    pub fn tracks(&self) -> impl Iterator<Item = (CounterKey, TrackId)> {
        self.counters.iter().map(|c| (c.key, c.track))
    }

    /// Adds counter `at` of a later part of the file; its key is `key` here.
    pub fn absorb(&mut self, key: CounterKey, parent: TrackId, later: &mut Counters, at: usize, builder: &mut ProfileBuilder) -> TrackId {
        let here = self.place(key, parent, builder);
        let counter = &mut self.counters[here];
        let later = std::mem::take(&mut later.counters[at].spec);
        let mut places = Vec::with_capacity(later.series.len());
        for (time, values) in later.samples {
            // Series that were found so far in that part have a value in it; the others keep theirs.
            for (i, value) in values.into_iter().enumerate() {
                if i == places.len() {
                    let known = counter.spec.series.iter().position(|s| *s == later.series[i]);
                    places.push(known.unwrap_or_else(|| {
                        counter.spec.series.push(later.series[i].clone());
                        counter.last.push(value);
                        counter.last.len() - 1
                    }));
                }
                counter.last[places[i]] = value;
            }
            counter.spec.samples.push((time, counter.last.clone()));
        }
        counter.track
    }

    /// Whether no counter of a later part of the file can have more series than we hold, whatever came before.
    pub fn is_small(&self, later: &Counters) -> bool {
        let most = |c: &Counters| c.counters.iter().map(|c| c.spec.series.len()).max().unwrap_or(0);
        most(self) + most(later) <= SERIES_MAX && !later.counters.iter().any(|c| c.is_full)
    }

    /// Hands them to the builder.
    pub fn settle(self, builder: &mut ProfileBuilder) {
        for mut counter in self.counters {
            counter.spec.is_stacked = counter.spec.series.len() > 1;
            builder.counter(counter.track, counter.spec);
        }
    }
}
