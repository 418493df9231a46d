//! What must hold of an import, whatever the bytes are: no panic, a sound profile, every record accounted for, the same from any blocks, and
//! memory bounded by the input.

use axonscope::base::{InputSet, InstantId, SliceId};
use axonscope::engine::Session;
use axonscope::formats::import::{self, Feeder};
use axonscope::formats::{Imported, by_id, claim};

/// Importing and reading some records again, as a drop of these files does.
#[track_caller]
pub fn of_a_drop(input: &InputSet) {
    let Ok(outcomes) = import::import(input) else { return };
    for (claim, outcome) in outcomes {
        let Ok((imported, readable)) = outcome else { continue };
        sound(&imported, input.n_bytes());
        let session = Session::new(claim, readable, imported);
        let format = by_id(&session.claim.format).expect("it was imported");
        let (n_slices, n_instants) = (session.profile.slices.len() as u32, session.profile.instants.time.len() as u32);
        // A sentence is as good as fields; a panic is not.
        for slice in (0..n_slices).step_by(n_slices as usize / 8 + 1) {
            let _ = format.record(&session.input, &session.profile, SliceId(slice).into());
        }
        for instant in (0..n_instants).step_by(n_instants as usize / 4 + 1) {
            let _ = format.record(&session.input, &session.profile, InstantId(instant).into());
        }
    }
}

/// A profile that keeps its own rules and accounts for every record. `n_bytes`: of the files.
#[track_caller]
pub fn sound(imported: &Imported, n_bytes: u64) {
    let (profile, ledger) = (&imported.profile, &imported.ledger);
    assert_eq!(profile.check(), Ok(()));
    let skipped: u64 = ledger.skipped.iter().map(|s| s.count).sum();
    assert!(ledger.shown <= ledger.read, "{} shown of {} read", ledger.shown, ledger.read);
    assert!(ledger.read <= ledger.shown + skipped, "{} read, {} shown, {skipped} skipped: {:?}", ledger.read, ledger.shown, ledger.skipped);
    // A record takes some bytes, and packed ones are a thousandth at least; a file cannot ask for more rows than that.
    let most = (n_bytes + 64).saturating_mul(1100);
    let n_rows = profile.slices.len() + profile.instants.time.len() + profile.tracks.len() + profile.flows.from.len();
    assert!(n_rows as u64 <= most, "{n_rows} rows of {n_bytes} bytes");
}

/// The same profile and ledger from blocks of these sizes, over and over, as from one block; where the format is read as a stream.
#[track_caller]
pub fn blocks_make_no_difference(name: &str, bytes: &[u8], sizes: &[usize]) {
    let once = fed(name, bytes, &[bytes.len().max(1)]);
    let often = fed(name, bytes, sizes);
    match (once, often) {
        (None, None) => (),
        (Some(Err(_)), Some(Err(_))) => (),
        (Some(Ok(once)), Some(Ok(often))) => assert_eq!(outline(&once), outline(&often), "blocks of {sizes:?}"),
        (once, often) => panic!("blocks of {sizes:?}: {} instead of {}", outcome(often), outcome(once)),
    }
}

fn outcome(fed: Option<Result<Imported, String>>) -> String {
    match fed {
        None => "no stream".into(),
        Some(Ok(_)) => "a profile".into(),
        Some(Err(sentence)) => sentence,
    }
}

fn fed(name: &str, bytes: &[u8], sizes: &[usize]) -> Option<Result<Imported, String>> {
    let heads = import::heads(&InputSet::from_bytes(name, bytes.to_vec())).ok()?;
    let claims = claim(&heads).0;
    let claim = claims.first()?;
    let mut feeder = Feeder::new(by_id(&claim.format)?, claim, name, bytes.len() as u64, heads[0].is_gzip)?;
    let mut rest = bytes;
    for size in sizes.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (block, after) = rest.split_at((*size).clamp(1, rest.len()));
        if let Err(error) = feeder.feed(block) {
            return Some(Err(error.to_string()));
        }
        rest = after;
    }
    Some(feeder.finish().map(|done| done.0).map_err(|error| error.to_string()))
}

/// What is compared: times, names, instants, arrows, and what was skipped. Stray text between records is counted by the block.
fn outline(imported: &Imported) -> impl PartialEq + std::fmt::Debug + use<> {
    let p = &imported.profile;
    let names: Vec<String> = p.slices.name.iter().map(|name| p.strings.get(*name).to_string()).collect();
    let skipped = imported.ledger.skipped.iter().filter(|s| s.kind != "stray_text").map(|s| (s.kind.clone(), s.count));
    let flows: Vec<(u32, u32)> = p.flows.from.iter().zip(&p.flows.to).map(|(from, to)| (from.0, to.0)).collect();
    (p.slices.start.clone(), p.slices.duration.clone(), names, p.instants.time.clone(), flows, skipped.collect::<Vec<_>>())
}
