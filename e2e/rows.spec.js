// Rows and what stands in them: an instant is selected like a slice, a box takes some rows, and what is done to rows is in the link.
import { cells, dropFiles, expect, idle, lanes, picture, show, start, test } from './support.js';

const name = 'rows.json';

/** Threads `alpha`, `beta` and `gamma` with one kind of slice each, and `marks` with instants at 25 and 50 of 100 µs. */
function trace() {
  const threads = ['alpha', 'beta', 'gamma', 'marks'];
  const events = [{ ph: 'M', name: 'process_name', pid: 1, args: { name: 'host' } }];
  threads.forEach((thread, i) => {
    events.push({ ph: 'M', name: 'thread_name', pid: 1, tid: i + 1, args: { name: thread } });
    events.push({ ph: 'M', name: 'thread_sort_index', pid: 1, tid: i + 1, args: { sort_index: i } });
  });
  threads.slice(0, 3).forEach((thread, i) => {
    for (let at = 0; at < 100; at += 10) events.push({ ph: 'X', cat: 'cpu_op', name: `${thread} work`, pid: 1, tid: i + 1, ts: at, dur: 10 });
  });
  for (const at of [25, 50]) events.push({ ph: 'i', s: 't', name: 'tick', pid: 1, tid: 4, ts: at, args: { note: `at ${at}` } });
  return { name, bytes: Buffer.from(JSON.stringify({ schemaVersion: 1, traceEvents: events })) };
}

const details = (page) => page.locator('[data-view="details"]');
const row = (page, thread) => page.locator(`.timeline__label[data-track*="${thread}"]`).first();

/** Where a moment of a thread is on the page. */
async function place(page, thread, us) {
  const [plot, label] = [await (await lanes(page)).boundingBox(), await row(page, thread).boundingBox()];
  return { x: plot.x + (plot.width * us) / 100, y: label.y + label.height / 2 };
}

/** The address, once it is written. */
async function link(page, part) {
  await expect.poll(() => decodeURIComponent(page.url())).toContain(part);
  // The address follows a pause later: it is the same twice, so much longer apart.
  let now = '';
  await expect.poll(async () => { const same = now === page.url(); now = page.url(); return same; }, { intervals: [600] }).toBe(true);
  return now;
}

/** Another page with that address and the file. */
async function followed(browser, address) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(address);
  await idle(page);
  await dropFiles(page, trace());
  await expect(page.locator('[data-view="timeline"]')).toBeVisible();
  await idle(page);
  return page;
}

test.beforeEach(async ({ page, site }) => {
  await start(page, site);
  await dropFiles(page, trace());
  await show(page, 'timeline');
});

test('an instant is selected like a slice: with its fields, by keys, in the link', async ({ page, browser }) => {
  const at = await place(page, 'marks', 25);
  await page.mouse.click(at.x, at.y);
  await idle(page);
  await expect(details(page)).toContainText('tick');
  await expect(details(page).locator('[data-fields="Instant"]')).toContainText('25 µs');
  await expect(details(page).locator('[data-fields="Args"]')).toContainText('at 25');
  await picture(page, 'instant-selected');
  await page.keyboard.press(']');
  await idle(page);
  await expect(details(page).locator('[data-fields="Args"]')).toContainText('at 50');
  const other = await followed(browser, await link(page, '&inst='));
  await expect(details(other).locator('[data-fields="Args"]')).toContainText('at 50');
  await other.context().close();
  await page.keyboard.press('Escape');
  await expect(details(page)).toBeHidden();
  await expect.poll(() => page.url()).not.toContain('&inst=');
});

test('a box over rows sums only these, until all are taken', async ({ page, browser }) => {
  const [from, to] = [await place(page, 'alpha', 15), await place(page, 'beta', 45)];
  await page.keyboard.down('Shift');
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move((from.x + to.x) / 2, to.y, { steps: 3 });
  await page.mouse.move(to.x, to.y);
  await page.mouse.up();
  await page.keyboard.up('Shift');
  const chip = page.locator('[data-boxed-rows]');
  await expect(chip).toContainText('2 rows');
  const bar = page.locator('[data-range-sums] button').first();
  await expect(bar).toContainText('in 2 rows');
  await bar.click();
  await idle(page);
  const names = async (of) => (await cells(of, 'range-sums', 'name')).sort();
  expect(await names(page)).toEqual(['alpha work', 'beta work']);
  await picture(page, 'box-of-rows');
  const other = await followed(browser, await link(page, '&rows='));
  await expect(other.locator('[data-boxed-rows]')).toContainText('2 rows');
  await expect.poll(() => names(other)).toEqual(['alpha work', 'beta work']);
  await other.context().close();
  // Values of fields in Search are of the same rows.
  await page.locator('[data-nav="search"]').first().click();
  await idle(page);
  const tables = async () => [...new Set(await cells(page, 'search-values', 'value'))].sort();
  await expect.poll(tables).toEqual(['alpha work', 'beta work']);
  await chip.click();
  await expect(chip).toBeHidden();
  await expect.poll(tables).toEqual(['alpha work', 'beta work', 'gamma work']);
  await show(page, 'timeline');
  await expect.poll(() => names(page)).toEqual(['alpha work', 'beta work', 'gamma work']);
  // Along one row it is a range of all.
  await page.keyboard.press('Escape');
  await page.keyboard.down('Shift');
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, from.y + 3, { steps: 3 });
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await expect(bar).toContainText('by name');
  await expect(chip).toBeHidden();
});

test('pins, order and folds are in the link', async ({ page, browser }) => {
  const order = (of) => of.locator('.timeline__label[data-track]').evaluateAll((all) => all.map((l) => l.dataset.track.split(' / ').pop()));
  const before = await order(page);
  await row(page, 'gamma').hover();
  await row(page, 'gamma').getByRole('button', { name: /^Pin/ }).click();
  // Labels follow in the next frame.
  await expect.poll(() => order(page)).not.toEqual(before);
  const [from, to] = [await row(page, 'beta').boundingBox(), await row(page, 'alpha').boundingBox()];
  await page.mouse.move(from.x + 40, from.y + from.height / 2);
  await page.mouse.down();
  await page.mouse.move(to.x + 40, to.y + to.height / 2, { steps: 4 });
  await page.mouse.up();
  await idle(page);
  const moved = ['host 1', 'beta', 'alpha', 'marks', 'gamma'];
  expect(before).not.toEqual(moved);
  await expect.poll(() => order(page)).toEqual(moved);
  const other = await followed(browser, await link(page, 's.timeline.placed='));
  await expect.poll(() => order(other)).toEqual(moved);
  await other.context().close();
});
