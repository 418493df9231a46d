//! Finds the capture of a replay: its launches, in program order, have the kernels of the replay. Reads no file.

use crate::base::StrId;

/// "None" in a list of positions.
pub(super) const NONE: u32 = u32::MAX;

/// What a launch puts on a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Kernel,
    Memcpy,
    Memset,
}

/// One launch of a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Launch {
    pub(super) kind: Kind,
    /// Name of its kernel; `None` where the trace does not record it, and of copies and sets.
    pub(super) name: Option<StrId>,
    /// Position of the innermost operator or module it was made in, or [`NONE`].
    pub(super) node: u32,
}

/// One kernel, copy or set of a replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Work {
    pub(super) kind: Kind,
    pub(super) name: StrId,
    /// Number of its stream within the replay: 0 is the first that ran something.
    pub(super) stream: u32,
}

/// How a replay fits a capture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fit {
    /// Position of the launch of each work, or [`NONE`] where it was skipped.
    pub(super) launch: Vec<u32>,
    /// Work with a launch.
    pub(super) n_matched: usize,
    /// Launches without work.
    pub(super) n_unused: usize,
}

/// How far a mismatch is looked past.
const WINDOW: usize = 16;
/// A replay on more streams than that is not matched.
const STREAMS_MAX: usize = 64;
/// Percent of a replay's kernels that must match, and of a capture's launches that must be used.
const MATCHED_MIN: usize = 95;
const USED_MIN: usize = 90;

/// Whether the numbers of kernels and launches allow a match.
pub(super) fn may_fit(n_work: usize, n_launches: usize) -> bool {
    n_work * 100 >= n_launches * USED_MIN && n_launches * 100 >= n_work * MATCHED_MIN
}

fn agree(work: &Work, launch: &Launch) -> bool {
    work.kind == launch.kind && (work.kind != Kind::Kernel || launch.name.is_none_or(|name| name == work.name))
}

/// Lays a replay along the launches of a capture. Each stream keeps its own order; work of several streams is taken in the order of the launches.
/// `None` where too much is skipped, or where unnamed launches leave the order open.
pub(super) fn fit(replay: &[Work], launches: &[Launch]) -> Option<Fit> {
    if replay.is_empty() || !may_fit(replay.len(), launches.len()) {
        return None;
    }
    let n_streams = replay.iter().map(|w| w.stream as usize + 1).max().unwrap_or(0).min(replay.len());
    let mut streams: Vec<Vec<u32>> = vec![Vec::new(); n_streams];
    for (i, work) in replay.iter().enumerate() {
        streams.get_mut(work.stream as usize)?.push(i as u32);
    }
    let has_unnamed = launches.iter().any(|l| l.kind == Kind::Kernel && l.name.is_none());
    if has_unnamed && n_streams > 1 || n_streams > STREAMS_MAX {
        return None;
    }
    let mut head = vec![0usize; n_streams];
    let mut out = Fit { launch: vec![NONE; replay.len()], n_matched: 0, n_unused: 0 };
    let mut at = 0;
    // Launches that may be skipped. Without names none: then only the complete sequence is evidence.
    let rest = |n: usize, min: usize| if has_unnamed { 0 } else { n - (n * min).div_ceil(100) };
    let (mut work_left, mut launches_left) = (rest(replay.len(), MATCHED_MIN), rest(launches.len(), USED_MIN));
    while at < launches.len() && head.iter().zip(&streams).any(|(h, s)| *h < s.len()) {
        // The work `ahead` places on in a stream, of several the earliest.
        let found = |launch: &Launch, ahead: usize, head: &[usize]| {
            let heads = head.iter().zip(&streams).enumerate().filter_map(|(s, (h, list))| Some((*list.get(h + ahead)?, s)));
            heads.filter(|(i, _)| agree(&replay[*i as usize], launch)).min()
        };
        if let Some((i, stream)) = found(&launches[at], 0, &head) {
            out.launch[i as usize] = at as u32;
            out.n_matched += 1;
            head[stream] += 1;
            at += 1;
            continue;
        }
        // Nothing fits: the nearest place where something does again, in the capture or in the replay.
        let mut step = (1, None);
        for ahead in 1..=WINDOW {
            if launches.get(at + ahead).is_some_and(|l| found(l, 0, &head).is_some()) {
                step = (ahead, None);
                break;
            }
            if let Some((_, stream)) = found(&launches[at], ahead, &head) {
                step = (ahead, Some(stream));
                break;
            }
        }
        match step {
            (n, None) => {
                launches_left = launches_left.checked_sub(n)?;
                at += n;
            }
            (n, Some(stream)) => {
                work_left = work_left.checked_sub(n)?;
                head[stream] += n;
            }
        }
    }
    out.n_unused = launches.len() - out.n_matched;
    let is_whole = out.n_matched == replay.len() && out.n_unused == 0;
    let is_near = out.n_matched * 100 >= replay.len() * MATCHED_MIN && out.n_matched * 100 >= launches.len() * USED_MIN;
    (is_whole || is_near && !has_unnamed).then_some(out)
}

/// The positions of the fits that are best: most matched, then fewest launches unused.
pub(super) fn best(fits: &[(usize, Fit)]) -> Vec<usize> {
    let rank = |fit: &Fit| (fit.n_matched, std::cmp::Reverse(fit.n_unused));
    let top = fits.iter().map(|(_, fit)| rank(fit)).max();
    (0..fits.len()).filter(|&i| Some(rank(&fits[i].1)) == top).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launches(names: &[u32]) -> Vec<Launch> {
        names.iter().map(|&n| Launch { kind: Kind::Kernel, name: (n > 0).then_some(StrId(n)), node: NONE }).collect()
    }

    fn replay(work: &[(u32, u32)]) -> Vec<Work> {
        work.iter().map(|&(n, stream)| Work { kind: Kind::Kernel, name: StrId(n), stream }).collect()
    }

    #[test]
    fn names_in_order_fit() {
        let found = fit(&replay(&[(1, 0), (2, 0), (1, 0)]), &launches(&[1, 2, 1])).unwrap();
        assert_eq!((found.launch, found.n_unused), (vec![0, 1, 2], 0));
        assert_eq!(fit(&replay(&[(1, 0), (2, 0), (1, 0)]), &launches(&[1, 3, 1])), None);
        assert_eq!(fit(&replay(&[]), &launches(&[])), None);
    }

    #[test]
    fn streams_keep_their_own_order() {
        // The second stream ran ahead of the first.
        let found = fit(&replay(&[(4, 1), (1, 0), (5, 1), (2, 0)]), &launches(&[1, 4, 2, 5])).unwrap();
        assert_eq!(found.launch, [1, 0, 3, 2]);
        // Without names the order between streams is open.
        assert_eq!(fit(&replay(&[(4, 1), (1, 0)]), &launches(&[0, 0])), None);
    }

    #[test]
    fn small_mismatches_are_skipped() {
        let names: Vec<u32> = (0..40).map(|i| i % 7 + 1).collect();
        let whole: Vec<(u32, u32)> = names.iter().map(|&n| (n, 0)).collect();
        // One more kernel in the replay than in the capture.
        let mut more = whole.clone();
        more.insert(20, (99, 0));
        let found = fit(&replay(&more), &launches(&names)).unwrap();
        assert_eq!((found.launch[20], found.n_matched, found.n_unused), (NONE, 40, 0));
        assert_eq!((found.launch[19], found.launch[21]), (19, 20));
        // One fewer.
        let mut fewer = whole.clone();
        fewer.remove(20);
        let found = fit(&replay(&fewer), &launches(&names)).unwrap();
        assert_eq!((found.n_matched, found.n_unused, found.launch[20]), (39, 1, 21));
        // Another model.
        let other: Vec<(u32, u32)> = names.iter().map(|&n| (n + 50, 0)).collect();
        assert_eq!(fit(&replay(&other), &launches(&names)), None);
        // More kernels than any capture has.
        let twice: Vec<(u32, u32)> = whole.iter().chain(&whole).copied().collect();
        assert_eq!(fit(&replay(&twice), &launches(&names)), None);
    }

    #[test]
    fn unnamed_launches_fit_by_count_and_kind() {
        let mut copies = launches(&[0, 0, 0]);
        copies[1].kind = Kind::Memcpy;
        let mut work = replay(&[(1, 0), (2, 0), (3, 0)]);
        assert_eq!(fit(&work, &copies), None);
        work[1].kind = Kind::Memcpy;
        assert_eq!(fit(&work, &copies).unwrap().launch, [0, 1, 2]);
        assert_eq!(fit(&work[..2], &copies), None);
    }

    #[test]
    fn the_best_fits_are_found() {
        let fit = |n_matched, n_unused| Fit { launch: Vec::new(), n_matched, n_unused };
        assert_eq!(best(&[(4, fit(9, 1)), (5, fit(10, 1)), (6, fit(10, 0)), (7, fit(10, 0))]), [2, 3]);
        assert!(best(&[]).is_empty());
    }
}
