// One scope: a range selected in the timeline is the scope of every view at once, in the link, and one click or key away from the entire trace.
import { expect, idle, kineto, lanes, neuron, openProfile, picture, show, start, test } from './support.js';

const device = () => neuron('fused_attention', 'fused_exec_2_profile_full.json');
const torch = () => kineto('kineto-traces', 'resnet50_num_workers_0', 'worker0.1623143089861.pt.trace.json.gz');
const chip = (page) => page.locator('[data-clear-range]');
const scope = (page, view) => page.locator(`[data-view="${view}"] [data-scope]`).first();

/** Selects from a half to three quarters of the window. */
async function selectRange(page) {
  await show(page, 'timeline');
  const box = await (await lanes(page)).boundingBox();
  const y = box.y + box.height * 0.5;
  await page.keyboard.down('Shift');
  await page.mouse.move(box.x + box.width * 0.5, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, y);
  await page.mouse.move(box.x + box.width * 0.75, y);
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await expect(chip(page)).toContainText(/^Selected range .* – .*\(.*\)/);
}

const kinds = [
  ['a device profile', device, ['summary', 'bounds', 'gaps', 'operators', 'layers', 'roofline'], ['advice', 'tensors'], ['tables', 'profile', 'ledger']],
  ['a PyTorch trace', torch, ['overview', 'operators', 'kernels', 'memory'], [], ['profile', 'ledger']],
];

for (const [name, file, following, entire, ofFile] of kinds) {
  test(`the range is the scope of every view of ${name}`, async ({ page, site }) => {
    await start(page, site);
    await openProfile(page, file());
    await expect(chip(page)).toHaveCount(0);
    await expect(page.locator('[data-range]')).toContainText('Entire trace');
    const offered = await page.locator('[data-nav]').evaluateAll((all) => all.map((item) => item.dataset.nav));
    const views = (all) => all.filter((view) => offered.includes(view));
    for (const view of views([...following, ...entire])) {
      await show(page, view);
      await expect(scope(page, view), view).toHaveText('Entire trace');
    }
    await selectRange(page);
    for (const view of views(following)) {
      await show(page, view);
      await expect(scope(page, view), view).toContainText(/^Selected range /);
    }
    for (const view of views([...entire, ...ofFile])) {
      await show(page, view);
      await expect(scope(page, view), view).toHaveText('Entire trace: this view does not follow the selected range');
    }
    await show(page, 'operators');
    await picture(page, `scope-${name.split(' ').pop()}`);
    // Escape ends it in any view, and a click does.
    await page.keyboard.press('Escape');
    await expect(chip(page)).toHaveCount(0);
    await expect(scope(page, 'operators')).toHaveText('Entire trace');
    await selectRange(page);
    await show(page, 'operators');
    await chip(page).click();
    await expect(chip(page)).toHaveCount(0);
    await expect(scope(page, 'operators')).toHaveText('Entire trace');
  });
}

test('the link keeps the range, and a link of before says the same', async ({ page, site, browser }) => {
  await start(page, site);
  await openProfile(page, device());
  await selectRange(page);
  await show(page, 'summary');
  await expect(scope(page, 'summary')).toContainText('Selected range');
  const said = await scope(page, 'summary').innerText();
  await expect(page).toHaveURL(/view=summary.*range=\d+-\d+/);
  for (const link of [page.url(), `${page.url()}&scope=selected`]) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const other = await context.newPage();
    await other.goto(link);
    await idle(other);
    await openProfile(other, device());
    await expect(scope(other, 'summary')).toHaveText(said);
    await context.close();
  }
});
