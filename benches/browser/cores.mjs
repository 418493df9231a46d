// How long an opening takes on more cores than this machine has: the schedule of src/formats/parallel/schedule.rs, run with measured phases.
//   node benches/browser/cores.mjs MEGABYTES PARSE_MS MERGE_MS REST_MS [HELPER_START_MS]
// PARSE_MS: parsing all of it on one core; MERGE_MS: unpacking and adding all pieces of helpers; REST_MS: what follows the last byte on worker and
// page, one after the other (freeze, transfer, receive, layout, paint). Reading is not counted: it goes beside parsing.
// Prints a line for each number of cores, and by Amdahl's law how much of the time on two cores is serial.
const [megabytes, parse, merge, rest, start = 0] = process.argv.slice(2).map(Number);
if (![megabytes, parse, merge, rest].every((n) => n >= 0)) throw new Error('node benches/browser/cores.mjs MEGABYTES PARSE_MS MERGE_MS REST_MS [HELPER_START_MS]');
const [PIECE_MIN, PIECE_MAX, AHEAD] = [16.777216, 33.554432, 2];

/** Milliseconds until the last piece is added, with `cores` readers. The page draws previews on another core where there is one. */
function read(cores) {
  const n = Math.max(1, Math.min(cores, Math.floor(megabytes / PIECE_MIN)));
  const rounds = Math.max(1, Math.floor(megabytes / PIECE_MIN / n));
  const piece = Math.max(PIECE_MIN, Math.min(PIECE_MAX, megabytes / (rounds * n)), Math.min(PIECE_MAX, megabytes / (n * 4)));
  const sizes = [];
  for (let left = megabytes; left > 0; left -= piece) sizes.push(Math.min(left, piece));
  const cost = (i) => (parse * sizes[i]) / megabytes;
  const helpers = Array.from({ length: n - 1 }, () => ({ free: start, queue: 0 }));
  const done = sizes.map(() => null);
  const kept = sizes.map(() => false);
  let now = 0;
  const give = (at) => {
    for (const isIdle of [true, false]) {
      for (const helper of helpers.filter((h) => h.free <= now + (isIdle ? 0 : Infinity))) {
        const waiting = done.filter((d) => d?.helper === helper && d.end > now).length;
        if (now < start || (isIdle ? waiting > 0 : waiting !== 1)) continue;
        const free = (isOwners) => sizes.findIndex((_, i) => i > at && i <= at + AHEAD * n && done[i] === null && !kept[i] && (i % n === 0) === isOwners);
        let i = free(false);
        if (i < 0 && isIdle) i = free(true);
        if (i < 0) return;
        helper.free = Math.max(helper.free, now) + cost(i);
        done[i] = { helper, end: helper.free };
      }
    }
  };
  for (let at = 0; at < sizes.length; at++) {
    if (done[at]) {
      now = Math.max(now, done[at].end) + (merge * sizes[at]) / megabytes;
      give(at);
      continue;
    }
    kept[at] = true;
    const end = now + cost(at);
    // The owner looks after the helpers between blocks of 4 MB.
    for (const step = Math.max(1, cost(at) / Math.ceil(sizes[at] / 4)); now < end; now = Math.min(end, now + step)) give(at);
    const next = (Math.floor(at / n) + 1) * n;
    if (next < sizes.length && !done[next]) kept[next] = true;
  }
  return now;
}

const two = read(2) + rest;
for (const cores of [1, 2, 4, 8, 16]) {
  const all = read(cores) + rest;
  console.log(`${String(cores).padStart(2)} cores: ${all.toFixed(0)} ms, of them ${read(cores).toFixed(0)} ms reading`);
}
console.log(`serial after the last byte: ${((100 * rest) / two).toFixed(0)}% of the time on two cores; the least on any number of cores is ${(rest + merge).toFixed(0)} ms`);
