//! How long a frame of the timeline takes to build, natively: 2 M slices on 48 lanes, all on screen, from the whole profile down to single slices.
#![allow(missing_docs)]

use axonscope::base::{TimeNs, TimeRange};
use axonscope::views::timeline::lookup::counter::Curves;
use axonscope::views::timeline::lookup::index::Index;
use axonscope::views::timeline::lookup::sample::large;
use axonscope::views::timeline::lookup::viewport::Viewport;
use axonscope::views::timeline::paint::scene::{Scene, Shot};
use axonscope::views::timeline::paint::theme::{Theme, Tokens};
use axonscope::views::timeline::rows::layout::{Folding, rows};
use criterion::{Criterion, criterion_group, criterion_main};

fn frames(c: &mut Criterion) {
    for n_slices in [1_000_000, 2_000_000] {
        let columns = large(n_slices, 12, 4);
        c.bench_function(&format!("index of {n_slices} slices"), |b| b.iter(|| Index::new(&columns)));
        let index = Index::new(&columns);
        let rows = rows(&columns, &index, &Folding::default());
        let theme = Theme::new(&Tokens::fallback(false));
        let mut scene = Scene::default();
        for (name, span) in [("whole", 10_000_000_000), ("1/10", 1_000_000_000), ("1/100", 100_000_000), ("1/1000", 10_000_000)] {
            let mut view = Viewport::whole(columns.range(), 1272.0);
            view.show(TimeRange::new(TimeNs(3_333_333_333), TimeNs(3_333_333_333 + span)));
            let curves = Curves::default();
            let shot = Shot {
                columns: &columns,
                index: &index,
                rows: &rows,
                theme: &theme,
                view: &view,
                grid: &[],
                scroll: 0.0,
                height_px: 864.0,
                dpr: 1.0,
                highlights: &[],
                is_alone: false,
                has_text: true,
                picked: None,
                least_ns: 0,
                curves: &curves,
            };
            c.bench_function(&format!("frame of {n_slices} slices, window {name}"), |b| b.iter(|| scene.paint(&shot, 6.6)));
        }
    }
}

criterion_group!(benches, frames);
criterion_main!(benches);
