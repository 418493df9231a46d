// Every view of every kind of profile, light and dark, wide and narrow: pictures for people in e2e/artifacts, and what can be checked.
import { kinds } from './kinds.js';
import { expect, faults, idle, picture, start, test } from './support.js';

const sizes = [[1440, 900], [390, 844]];
const schemes = ['light', 'dark'];

/** Looks at what is shown in both schemes and at both sizes. */
async function look(page, name, view, size) {
  const found = [];
  for (const scheme of schemes) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    await idle(page);
    await picture(page, `${name}-${view}-${scheme}-${size.join('x')}`);
    for (const fault of await faults(page, view)) found.push(`${view}, ${scheme}, ${size.join(' × ')}: ${fault}`);
  }
  return found;
}

/** Console errors of the page from here on. */
function errors(page) {
  const said = [];
  page.on('console', (message) => { if (message.type() === 'error') said.push(message.text()); });
  return said;
}

test('the start page', async ({ page, site }) => {
  const said = errors(page);
  await start(page, site);
  for (const [width, height] of sizes) {
    await page.setViewportSize({ width, height });
    expect(await look(page, 'looks', 'start', [width, height])).toEqual([]);
  }
  expect(said).toEqual([]);
});

for (const [kind, open, views] of kinds) {
  test(`every view of ${kind}`, async ({ page, site }) => {
    const said = errors(page);
    const found = [];
    await start(page, site);
    await open(page);
    const offered = await page.locator('[data-nav]').evaluateAll((all) => all.map((item) => item.dataset.nav));
    expect(offered).toEqual(views);
    for (const [width, height] of sizes) {
      await page.setViewportSize({ width, height });
      for (const view of views) {
        await page.locator(`[data-nav="${view}"]`).click();
        await expect(page.locator(`[data-view="${view}"]`)).toBeVisible();
        found.push(...await look(page, `looks-${kind}`, view, [width, height]));
      }
    }
    expect(found).toEqual([]);
    expect(said).toEqual([]);
  });
}
