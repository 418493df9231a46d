// Every view of every kind of profile, light and dark, wide and narrow: pictures for people, what can be checked of them, and accessibility.
import { axeFindings, inScheme, loadAxe, schemes, tabFindings } from './axe.js';
import { kinds } from './kinds.js';
import { expect, faults, picture, start, test } from './support.js';

const [wide, narrow] = [[1440, 900], [390, 844]];

/** A picture of a view as it stands, and its faults. */
async function look(page, name, view, scheme, size) {
  await picture(page, `${name}-${view}-${scheme}-${size.join('x')}`);
  return (await faults(page, view)).map((fault) => `${view}, ${scheme}, ${size.join(' × ')}: ${fault}`);
}

/** Both schemes, the one that is shown first: a change takes as long as a look. */
const inTurn = (i) => (i % 2 === 0 ? schemes : schemes.toReversed());

/** The same in both schemes. */
async function lookInBothSchemes(page, name, view, size, i = 0) {
  const found = [];
  for (const scheme of inTurn(i)) {
    await inScheme(page, scheme);
    found.push(...await look(page, name, view, scheme, size));
  }
  return found;
}

/** Headings and landmarks that a view has too few or too many of. */
async function landmarkFindings(page, view) {
  const found = [];
  const n = await page.locator('h1').count();
  if (n !== 1 && !(n > 0 && ['compare', 'trace', 'operator-timeline'].includes(view))) found.push(`${view}: ${n} h1`);
  for (const landmark of ['header.topbar', 'nav.sidebar', 'main']) {
    if (await page.locator(landmark).count() !== 1) found.push(`${view}: no single ${landmark}`);
  }
  return found;
}

/** The left edge of the heading, in pixels; `null` where it is for screen readers alone. */
const headingLeft = (page) => page.locator('h1').first().evaluate((heading) => {
  const { left, width } = heading.getBoundingClientRect();
  return width > 1 ? Math.round(left) : null;
});

/** Console errors of the page from here on. */
function errors(page) {
  const said = [];
  page.on('console', (message) => { if (message.type() === 'error') said.push(message.text()); });
  return said;
}

async function go(page, view) {
  await page.locator(`[data-nav="${view}"]`).click();
  await expect(page.locator(`[data-view="${view}"]`)).toBeVisible();
}

test('the start page', async ({ page, site }) => {
  const said = errors(page);
  await start(page, site);
  for (const [width, height] of [wide, narrow]) {
    await page.setViewportSize({ width, height });
    expect(await lookInBothSchemes(page, 'looks', 'start', [width, height])).toEqual([]);
  }
  expect(said).toEqual([]);
});

for (const [kind, open, views] of kinds) {
  test(`every view of ${kind}`, async ({ page, site }) => {
    test.setTimeout(240_000);
    const said = errors(page);
    const found = [];
    await start(page, site);
    await loadAxe(page);
    await open(page);
    const offered = await page.locator('[data-nav]').evaluateAll((all) => all.map((item) => item.dataset.nav));
    expect(offered).toEqual(views);
    const lefts = {};
    for (const [i, view] of views.entries()) {
      await go(page, view);
      for (const scheme of inTurn(i)) {
        await inScheme(page, scheme);
        found.push(...await look(page, `looks-${kind}`, view, scheme, wide));
        found.push(...await axeFindings(page, view, scheme));
      }
      found.push(...await tabFindings(page, view), ...await landmarkFindings(page, view));
      lefts[view] = await headingLeft(page);
    }
    // From view to view the heading stays where it is.
    if (new Set(Object.values(lefts).filter((left) => left !== null)).size > 1) found.push(`headings begin at ${JSON.stringify(lefts)}`);
    await page.setViewportSize({ width: narrow[0], height: narrow[1] });
    for (const [i, view] of views.entries()) {
      await go(page, view);
      found.push(...await lookInBothSchemes(page, `looks-${kind}`, view, narrow, i));
    }
    expect(found).toEqual([]);
    expect(said).toEqual([]);
  });
}
