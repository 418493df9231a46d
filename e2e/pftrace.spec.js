// Perfetto traces with what this page does not read: unknown packets, missing sequence state, a file that is cut off.
import { join } from 'node:path';
import { dropFiles, expect, openProfile, samples, show, start, test } from './support.js';

const varint = (n) => { const out = []; while (n >= 0x80) { out.push((n & 0x7f) | 0x80); n = Math.floor(n / 128); } return [...out, n]; };
const field = (number, value) => [...varint(number * 8), ...varint(value)];
const message = (number, body) => [...varint(number * 8 + 2), ...varint(body.length), ...body];
const packet = (...parts) => message(1, parts.flat());
/** An event on track 0 of sequence 1: 1 begins, 2 ends, 3 is an instant. */
const event = (time, kind, name) => packet(field(8, time), field(10, 1), message(11, [...field(9, kind), ...message(23, [...Buffer.from(name)])]));
const small = () => [event(100, 1, 'outer'), event(150, 3, 'moment'), event(200, 2, ''), event(300, 1, 'open')].flat();

test('what a Perfetto trace has beside is counted, and nothing open is lost', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, join(samples, 'cpu_single.pt.trace.json.gz'));
  const unknown = packet(field(10, 1), message(777, [...Buffer.from('something')]));
  const needsState = packet(field(10, 9), field(13, 2), message(11, [0x48, 1]));
  for (const [i, [what, bytes, sentence]] of [
    ['unknown', [...small(), ...unknown], /1.*packet/i],
    ['missing-state', [...small(), ...needsState], /state|interned/i],
    ['cut', small().slice(0, -3), /truncated|ends inside/i],
  ].entries()) {
    await dropFiles(page, { name: `${what}.pftrace`, bytes: Buffer.from(bytes) });
    await expect(page.locator('[role=tab]')).toHaveCount(i + 2);
    await expect(page.locator('body')).toHaveAttribute('data-profile', 'pftrace');
    await show(page, 'ledger');
    await expect(page.locator('[data-view="ledger"]'), what).toContainText(sentence);
  }
  await dropFiles(page, { name: 'noise.pftrace', bytes: Buffer.alloc(400, 0xff) });
  await expect(page.locator('[role=alert]')).toContainText('noise.pftrace');
  await expect(page.locator('[role=tab]')).toHaveCount(4);
});
