//! Opens one profile in the worker: hash, refusal, blocks with progress, columns to the page.

use super::blob::{Blocks, PendingHash, Planned};
use super::error::{BrowserError, WorkerError};
use super::helpers::Helper;
use super::inflating::{GZIP_MIN, Inflating};
use super::input::{input, input_at_hand};
use super::profile_host::{Host, memory};
use super::protocol::{Occasion, Opened, Progress, ToPage};
use super::reader::Reader;
use super::remote;
use super::row_team::RowTeam;
use super::split::InPieces;
use super::transfer::Transfer;
use crate::base::hash::{PassingHash, content_hash};
use crate::base::phases::{self, Phase};
use crate::base::{InputError, InputSet};
use crate::engine::Session;
use crate::formats::gzip::{InflatedSource, is_gzip};
use crate::formats::import::{self, Feeder};
use crate::formats::parallel::Plan;
use crate::formats::{self, Claim, Imported, Pace, inspect};
use crate::model::Profile;
use futures_util::future::OptionFuture;
use js_sys::Array;
use web_sys::File;

/// Files read at random access that are no longer than this together, bytes, are read at one go.
const AT_HAND: u64 = 32 << 20;

/// Reads the claim's files and sends the profile.
pub(super) async fn open(
    host: &Host,
    claim: Claim,
    paths: &[String],
    named: (&[String], &[File]),
    occasion: Occasion,
    n_readers: usize,
) -> Result<(), WorkerError> {
    let (session, hash) = read(host, claim, paths, named, occasion, n_readers).await?;
    Reader::release();
    Helper::release();
    send(host, session, hash, occasion);
    Ok(())
}

/// Opens a small synthetic trace as a file that a user gives. The reader is kept for that one.
pub(super) async fn rehearse(host: &Host) -> Result<(), WorkerError> {
    let name = "warm-up.json".to_string();
    let text = crate::engine::synthetic_trace();
    let file = File::new_with_str_sequence(&Array::of1(&text.into()), &name).map_err(BrowserError::from)?;
    let (names, files) = ([name], [file]);
    let inspection = inspect::inspect(&input(&names, &files)?)?;
    for found in inspection.found {
        let (session, hash) = read(host, found.claim, &found.paths, (&names, &files), Occasion::First, 1).await?;
        send(host, session, hash, Occasion::First);
    }
    Ok(())
}

/// Reads the claim's files into a profile, and finds its content hash.
async fn read(
    host: &Host,
    claim: Claim,
    paths: &[String],
    (names, files): (&[String], &[File]),
    occasion: Occasion,
    n_readers: usize,
) -> Result<(Session, String), WorkerError> {
    let is_streamed = formats::by_id(&claim.format).is_some_and(|f| f.streamed(&claim, paths.first().map_or("", String::as_str)).is_some());
    let is_at_hand = !is_streamed && files.iter().map(|file| file.size() as u64).fold(0, u64::saturating_add) <= AT_HAND;
    let all = if is_at_hand { input_at_hand(names, files)? } else { input(names, files)? };
    let picked = inspect::pick(&all, &claim, paths)?;
    let hash_of = |set: &InputSet| content_hash(&set.members);
    // The hash needs extra reads. Without open profiles to compare with, it is computed from the blocks of the import.
    let early = if occasion == Occasion::Further { Some(hash_of(&picked)?) } else { None };
    if let Some(hash) = &early {
        host.post(&ToPage::Hashed(hash.clone()));
    }
    let own_file = |path: &String| own_file(Some(path), names, files);
    let file = paths.first().and_then(own_file);
    let (mut imported, readable, hash) = match streamed(host, &claim, &picked, file, n_readers).await? {
        Some((imported, readable, passed)) => (imported, readable, early.or(passed).map_or_else(|| hash_of(&picked), Ok)?),
        None => {
            // The short members of a long archive are read into memory.
            let picked = if !is_at_hand && picked.n_bytes() <= AT_HAND { picked.at_hand()? } else { picked };
            let coming = if early.is_none() && !is_at_hand { pending_hash(paths, own_file) } else { None };
            let (imported, readable) = at_random_access(host, &claim, (&picked, paths), (names, files), n_readers).await?;
            let passed = OptionFuture::from(coming.map(PendingHash::finish)).await.and_then(Result::ok);
            (imported, readable, early.or(passed).map_or_else(|| hash_of(&picked), Ok)?)
        }
    };
    imported.ledger.members = paths.to_vec();
    Ok((Session::new(claim, readable, imported), hash))
}

/// The hash of a claim whose members are all files of this machine, read while they are imported.
fn pending_hash<'a>(paths: &[String], own_file: impl Fn(&String) -> Option<&'a File>) -> Option<PendingHash> {
    let files: Vec<&File> = paths.iter().map(own_file).collect::<Option<_>>()?;
    if files.iter().any(|file| remote::is_remote(file)) {
        return None;
    }
    PendingHash::of(files.into_iter()).ok()
}

/// Imports a format that is read at random access: a long file of this machine is read ahead of the importer, and long tables by several workers,
/// where that can be.
async fn at_random_access(
    host: &Host,
    claim: &Claim,
    (picked, paths): (&InputSet, &[String]),
    (names, files): (&[String], &[File]),
    n_readers: usize,
) -> Result<(Imported, InputSet), WorkerError> {
    let mut report = |progress| host.post(&ToPage::Progress(progress));
    if picked.n_bytes() > AT_HAND {
        let local = own_file(paths.first(), names, files).filter(|file| !remote::is_remote(file));
        if let Some((main, file)) = picked.members.first().zip(local) {
            let mut reader = Planned::new(import::file_name(&main.name), file);
            if let Some(imported) = import::import_ahead(picked, claim, &mut report, &mut reader).await? {
                return Ok(imported);
            }
        }
        let plan = Plan::of_workers(n_readers, picked.n_bytes());
        if plan.n_threads > 1 && !files.iter().any(remote::is_remote) {
            let mut team = RowTeam::new(plan, claim, paths, (names, files));
            if let Some(imported) = import::import_side_by_side(picked, claim, &mut report, &mut team).await? {
                return Ok(imported);
            }
        }
    }
    Ok(import::import_claim(picked, claim, &mut report)?)
}

/// The file of that path; a member of an archive has none of its own.
fn own_file<'a>(path: Option<&String>, names: &[String], files: &'a [File]) -> Option<&'a File> {
    names.iter().position(|name| Some(name) == path).and_then(|at| files.get(at))
}

/// A profile, the input of its records, and the content hash if all bytes were read.
type Streamed = (Imported, InputSet, Option<String>);

/// Imports block by block; `None` when the format is read at random access.
async fn streamed(
    host: &Host,
    claim: &Claim,
    picked: &InputSet,
    file: Option<&File>,
    n_readers: usize,
) -> Result<Option<Streamed>, WorkerError> {
    let (Some(format), Some(main)) = (formats::by_id(&claim.format), picked.members.first()) else {
        return Err(WorkerError::UnknownFormat(claim.format.clone()));
    };
    let zipped = is_gzip(&main.read_up_to(0, 2)?);
    let title = import::file_name(&main.name);
    let Some(mut feeder) = Feeder::new(format, claim, &main.name, main.len(), zipped) else {
        host.post(&ToPage::Progress(Progress { total: picked.n_bytes(), ..Progress::default() }));
        return Ok(None);
    };
    let unreadable = |why| InputError::Unreadable { name: title.into(), why };
    let mut hash = PassingHash::new(main.len());
    let mut pace = Pace::begin();
    let mut tell = |feeder: &mut Feeder| {
        if pace.is_due() {
            host.post(&ToPage::Progress(feeder.progress()));
        }
    };
    let plan = Plan::of_workers(n_readers, main.len());
    let in_pieces = match (feeder.split(), file.filter(|file| !remote::is_remote(file))) {
        (Some(split), Some(file)) if plan.n_threads > 1 => Some(InPieces { claim, member: main, file, split, plan }),
        _ => None,
    };
    let of_text = feeder.split_of_text().filter(|_| n_readers > 1 && main.len() >= GZIP_MIN);
    if let Some(in_pieces) = in_pieces {
        in_pieces.feed(&mut feeder, &mut tell, &unreadable).await?;
    } else if let (Some(split), Some(file)) = (of_text, file) {
        let blocks = Blocks::new(file).map_err(unreadable)?;
        Inflating::new(&mut feeder, split, (claim, &main.name), n_readers).feed(blocks, &mut hash, &mut tell, &unreadable).await?;
    } else {
        let mut blocks = match file {
            Some(file) => Blocks::new(file).map_err(unreadable)?,
            None => Blocks::of_member(main),
        };
        loop {
            let began = phases::begin();
            let Some(block) = blocks.next().await.map_err(unreadable)? else { break };
            began.end(Phase::Read);
            hash.pass(block);
            feeder.feed(block)?;
            tell(&mut feeder);
        }
    }
    if pace.is_long() {
        host.post(&ToPage::Progress(feeder.progress()));
    }
    let joined = feeder.join(claim, picked.members.get(1..).unwrap_or_default());
    let (imported, index) = feeder.finish()?;
    let readable = index.map_or_else(|| main.clone(), |index| InflatedSource::member(main, index));
    let hash = hash.finish().filter(|_| picked.members.len() == 1);
    Ok(Some((imported, InputSet { members: std::iter::once(readable).chain(joined).collect() }, hash)))
}

/// A profile with at most this many slices is announced together with its first answer: the page then draws once instead of twice.
const FEW_SLICES: usize = 200_000;

/// Sends the columns straight from the profile, and keeps it.
fn send(host: &Host, session: Session, hash: String, occasion: Occasion) {
    let began = phases::begin();
    let mut transfer = Transfer::default();
    let Profile { slices, instants, .. } = &session.profile;
    transfer.add(&slices.start);
    transfer.add(&slices.duration);
    transfer.add(&slices.name);
    let (tracks, ends) = instants.track.columns();
    transfer.add(tracks);
    transfer.add(ends);
    transfer.add(&instants.time);
    transfer.add(&instants.name);
    host.post_with(&ToPage::Columns, &transfer);
    let mut transfer = Transfer::default();
    transfer.add(session.name_slots());
    let question = if occasion == Occasion::Again { None } else { session.first_question() };
    let is_short = session.profile.slices.len() <= FEW_SLICES;
    let opened = Opened {
        info: session.page_meta(),
        ledger: session.ledger.clone(),
        hash,
        claim: session.claim.clone(),
        memory: memory(),
        rank: session.rank(),
        first_answer: question.clone().filter(|_| is_short).map(|question| (question.clone(), question.answer(&session))),
    };
    host.post_with(&ToPage::Opened(Box::new(opened)), &transfer);
    began.end(Phase::Transfer);
    host.keep(session);
    // While the page draws.
    if let Some(question) = question.filter(|_| !is_short) {
        host.answer_ahead(&question);
    }
}
