use super::*;
use crate::base::TimeNs;

#[test]
fn record_refs_keep_what_they_were_given() {
    let r = RecordRef::new(3, 5_000_000_000, 225);
    assert_eq!((r.member(), r.offset(), r.n_bytes()), (3, 5_000_000_000, Some(225)));
    assert_eq!(RecordRef::new(0, 1, 1 << 30).n_bytes(), None);
}

#[test]
fn the_innermost_slice_is_found() {
    let mut builder = ProfileBuilder::new();
    let track = builder.track(TrackSpec { parent: None, name: "t".into(), kind: TrackKind::Thread, sort: 0 });
    for (start, duration) in [(0, 100), (10, 20), (10, 5), (40, 100), (50, 5)] {
        builder.slice(RawSlice { track, start, duration, name: StrId(0), record: RecordRef::default() });
    }
    let profile = builder.finish(Meta::default()).profile;
    assert_eq!(profile.check(), Ok(()));
    let mut finder = SliceFinder::new(&profile);
    let mut check = |t, want: Option<(i64, i64)>| {
        let found = profile.slice_at(TrackId(0), TimeNs(t));
        assert_eq!(finder.at(TrackId(0), TimeNs(t)), found, "at {t}");
        let got = found.map(|s| (profile.slices.start[s.index()], profile.slices.duration[s.index()]));
        assert_eq!(got, want, "at {t}");
    };
    check(-1, None);
    check(10, Some((10, 5)));
    check(20, Some((10, 20)));
    check(30, Some((0, 100)));
    check(60, Some((40, 100)));
    check(139, Some((40, 100)));
    check(140, None);
    check(0, Some((0, 100)));
    assert_eq!((profile.slice_at(TrackId(7), TimeNs(0)), finder.at(TrackId(7), TimeNs(0))), (None, None));
}

/// Slices of one track are ordered by start; of equal starts the longest is first; the rest as written. However long the longest is.
#[test]
fn slices_stand_by_start() {
    for longest in [40, i64::from(u32::MAX), 1 << 40] {
        let (mut builder, mut seed) = (ProfileBuilder::new(), 1u32);
        let track = builder.track(TrackSpec { parent: None, name: "t".into(), kind: TrackKind::Thread, sort: 0 });
        let mut random = |below: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            i64::from((seed >> 8) % below)
        };
        let mut want: Vec<(i64, i64, u64)> = Vec::new();
        for i in 0..2000 {
            let (start, duration) = (random(300) - 150, if i % 100 == 7 { longest } else { random(40) });
            builder.slice(RawSlice { track, start, duration, name: StrId(0), record: RecordRef::new(0, i, 1) });
            want.push((start, -duration, i));
        }
        want.sort();
        let profile = builder.finish(Meta::default()).profile;
        assert_eq!(profile.check(), Ok(()));
        let (slices, records) = (&profile.slices, profile.slices.record.as_slice());
        let ranks = slices.by_start.iter().map(|rank| *rank as usize);
        let got: Vec<_> = ranks.map(|at| (slices.start[at], -slices.duration[at], records[at].offset())).collect();
        assert_eq!(got, want, "the longest lasts {longest} ns");
    }
}
