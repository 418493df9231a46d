//! Imports one claim, or natively a whole drop. A worker feeds streamed formats itself (`Feeder`) and imports the others with this.

pub use super::feeder::Feeder;
pub use super::file_name::file_name;
use super::gzip::{InflatedSource, is_gzip};
pub use super::heads::{heads, inflated};
use super::inspect::{self, Found};
use super::parallel::{self, Plan};
use super::read_ahead::{ReadAhead, Timed};
use super::row_pieces::{RowHelpers, RowReader};
use super::{Claim, Format, ImportError, Imported, Progress, ProgressReporter, archive, by_id};
use crate::base::phases::{self, Phase};
use crate::base::{InputSet, Ledger};
use crate::formats::wording;

/// Imports one claim. `report` receives the progress of formats that are read at random access. Also returns the members for [`Format::record`]: in the
/// claim's order, inflated.
pub fn import_claim(input: &InputSet, claim: &Claim, report: &mut dyn FnMut(Progress)) -> Result<(Imported, InputSet), ImportError> {
    import_with(input, claim, report, Plan::usual())
}

/// As [`import_claim`] with the threads and piece sizes of `plan`.
pub fn import_with(
    input: &InputSet,
    claim: &Claim,
    report: &mut dyn FnMut(Progress),
    plan: Plan,
) -> Result<(Imported, InputSet), ImportError> {
    let format =
        by_id(&claim.format).ok_or_else(|| ImportError::Unrecognised(format!("There is no importer named `{}`.", claim.format)))?;
    let picked = members_of(input, claim);
    let Some(main) = picked.members.first() else {
        return Err(ImportError::Unrecognised(wording::NO_FILE.into()));
    };
    let is_gzip = is_gzip(&main.read_up_to(0, 2)?);
    if let Some(mut feeder) = Feeder::new(format, claim, &main.name, main.len(), is_gzip) {
        parallel::feed(&mut feeder, main, plan)?;
        let joined = feeder.join(claim, &picked.members[1..]);
        let (mut imported, index) = feeder.finish()?;
        imported.ledger.members = picked.members.iter().map(|m| m.name.clone()).collect();
        let readable = index.map_or_else(|| main.clone(), |index| InflatedSource::member(main, index));
        return Ok((imported, InputSet { members: std::iter::once(readable).chain(joined).collect() }));
    }
    let (readable, mut ledger) = prepared(&picked, claim)?;
    let mut watch = ProgressReporter::new(&readable, report);
    #[cfg(not(target_arch = "wasm32"))]
    let profile = parallel::at_random_access(format, (&readable, claim), &mut ledger, &mut watch, plan)?;
    // A worker has one thread.
    #[cfg(target_arch = "wasm32")]
    let profile = phases::time(Phase::Parse, || format.import(&readable, claim, &mut ledger, &mut watch))?;
    Ok((Imported { profile, ledger }, readable))
}

/// The claim's members.
fn members_of(input: &InputSet, claim: &Claim) -> InputSet {
    InputSet { members: claim.members.iter().filter_map(|&m| input.members.get(m).cloned()).collect() }
}

/// The members for an import at random access, inflated, and the ledger of that import.
fn prepared(picked: &InputSet, claim: &Claim) -> Result<(InputSet, Ledger), ImportError> {
    let readable = InputSet { members: picked.members.iter().map(inflated).collect::<Result<_, _>>()? };
    let members = readable.members.iter().map(|m| m.name.clone()).collect();
    Ok((readable, Ledger { recognised: claim.recognised.clone(), members, ..Ledger::default() }))
}

/// The importer of a claim whose first member is no gzip, with what it reads and the ledger of that import.
fn plain(input: &InputSet, claim: &Claim) -> Result<Option<(&'static dyn Format, InputSet, Ledger)>, ImportError> {
    let picked = members_of(input, claim);
    let (Some(format), Some(main)) = (by_id(&claim.format), picked.members.first()) else { return Ok(None) };
    if is_gzip(&main.read_up_to(0, 2)?) {
        return Ok(None);
    }
    let (readable, ledger) = prepared(&picked, claim)?;
    Ok(Some((format, readable, ledger)))
}

/// As [`import_claim`] with the bytes of the main member from `reader`; `None` where the format does not read ahead, or that member is gzip.
pub async fn import_ahead(
    input: &InputSet,
    claim: &Claim,
    report: &mut dyn FnMut(Progress),
    reader: &mut dyn ReadAhead,
) -> Result<Option<(Imported, InputSet)>, ImportError> {
    let Some((format, readable, mut ledger)) = plain(input, claim)? else { return Ok(None) };
    let (began, mut timed) = (phases::begin(), Timed::new(reader));
    let mut watch = ProgressReporter::new(&readable, report);
    let Some(importing) = format.import_ahead(&readable, &mut ledger, &mut watch, &mut timed) else { return Ok(None) };
    let profile = importing.await?;
    began.end_without(Phase::Parse, timed.waited_ms);
    Ok(Some((Imported { profile, ledger }, readable)))
}

/// As [`import_claim`] with `helpers` that read rows of long tables; `None` where the format has no such tables, or its first member is gzip.
pub async fn import_side_by_side(
    input: &InputSet,
    claim: &Claim,
    report: &mut dyn FnMut(Progress),
    helpers: &mut dyn RowHelpers,
) -> Result<Option<(Imported, InputSet)>, ImportError> {
    let Some((format, readable, mut ledger)) = plain(input, claim)? else { return Ok(None) };
    let (began, mut watch) = (phases::begin(), ProgressReporter::new(&readable, report));
    let Some(importing) = format.import_side_by_side(&readable, claim, &mut ledger, &mut watch, helpers) else { return Ok(None) };
    let profile = importing.await?;
    began.end_without(Phase::Parse, helpers.spent_ms());
    Ok(Some((Imported { profile, ledger }, readable)))
}

/// What a helper of such an import reads with; `None` where it can read nothing.
pub fn row_reader(input: &InputSet, claim: &Claim) -> Option<Box<dyn RowReader>> {
    let (readable, _) = prepared(&members_of(input, claim), claim).ok()?;
    by_id(&claim.format)?.row_reader(&readable)
}

/// One profile of a drop: its claim and the result of its import.
pub type Outcome = (Claim, Result<(Imported, InputSet), ImportError>);

/// Imports every profile of a drop, archives included. Without any profile: an error with a sentence on each file.
pub fn import(input: &InputSet) -> Result<Vec<Outcome>, ImportError> {
    import_planned(input, Plan::usual())
}

/// As [`import`] with the threads and piece sizes of `plan`.
pub fn import_planned(input: &InputSet, plan: Plan) -> Result<Vec<Outcome>, ImportError> {
    let expanded = archive::expand(input, None);
    let found = inspect::sort(&expanded)?.found;
    let outcome = |f: Found| {
        let done = inspect::select(&expanded, &f.claim, &f.paths).and_then(|picked| import_with(&picked, &f.claim, &mut |_| (), plan));
        (f.claim, done)
    };
    Ok(found.into_iter().map(outcome).collect())
}
