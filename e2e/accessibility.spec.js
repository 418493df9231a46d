// Accessibility: axe-core finds nothing critical or serious in any view of any kind of profile, and the keyboard alone reaches everything.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { kinds } from './kinds.js';
import { expect, idle, lanes, neuron, openProfile, samples, show, start, test } from './support.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const schemes = ['light', 'dark'];

/** What axe-core finds, critical or serious: rule, element, reason. In the second scheme only colours differ. */
async function findings(page, what, scheme) {
  const wrong = await page.evaluate(async (onlyColours) => {
    const options = { resultTypes: ['violations'], ...(onlyColours ? { runOnly: { type: 'rule', values: ['color-contrast'] } } : {}) };
    const { violations } = await window.axe.run(document, options);
    return violations.filter((v) => ['critical', 'serious'].includes(v.impact)).flatMap((v) => v.nodes.slice(0, 3).map((node) =>
      `${v.impact} ${v.id}: ${node.target.join(' ')} (${node.html.slice(0, 160)}): ${node.failureSummary.split('\n').slice(1, 3).join('; ')}`));
  }, scheme !== schemes[0]);
  return wrong.map((text) => `${what}, ${scheme}: ${text}`);
}

/** The same in both schemes. */
async function inBothSchemes(page, what) {
  const found = [];
  for (const scheme of schemes) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    await idle(page);
    // Colours change in a short transition.
    await page.evaluate(async () => {
      for (let i = 0; i < 2; i += 1) await new Promise(requestAnimationFrame);
      await Promise.allSettled(document.getAnimations().map((animation) => animation.finished));
    });
    found.push(...await findings(page, what, scheme));
  }
  return found;
}

test('axe-core on the start page and the help', async ({ page, site }) => {
  await start(page, site);
  await page.evaluate(axe);
  const found = await inBothSchemes(page, 'start');
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog')).toBeVisible();
  found.push(...await inBothSchemes(page, 'help'));
  expect(found).toEqual([]);
});

for (const [kind, open, views] of kinds) {
  test(`axe-core on every view of ${kind}`, async ({ page, site }) => {
    test.setTimeout(180_000);
    const found = [];
    await start(page, site);
    await page.evaluate(axe);
    await open(page);
    for (const view of views) {
      await show(page, view);
      found.push(...await inBothSchemes(page, `${kind} ${view}`));
      const n = await page.locator('h1').count();
      if (n !== 1 && !(n > 0 && ['compare', 'trace', 'operator-timeline'].includes(view))) found.push(`${kind} ${view}: ${n} h1`);
      for (const landmark of ['header.topbar', 'nav.sidebar', 'main']) {
        if (await page.locator(landmark).count() !== 1) found.push(`${kind} ${view}: no single ${landmark}`);
      }
    }
    expect(found).toEqual([]);
  });
}

test('axe-core with details, annotations, settings, a range and a search', async ({ page, site }) => {
  await start(page, site);
  await page.evaluate(axe);
  await openProfile(page, neuron('fused_attention', 'fused_exec_2_profile_full.json'));
  await page.locator('[data-annotations]').click();
  await page.locator('body').press('m');
  await page.keyboard.press('/');
  await page.locator('input[type=search]').first().fill('matmul');
  await page.keyboard.press('Enter');
  await idle(page);
  await expect(page.locator('[data-view="details"]')).toBeVisible();
  const found = await inBothSchemes(page, 'details and annotations');
  const box = await (await lanes(page)).boundingBox();
  await page.keyboard.down('Shift');
  await page.mouse.move(box.x + box.width * 0.5, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + 40);
  await page.mouse.move(box.x + box.width * 0.7, box.y + 40);
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await expect(page.locator('[data-clear-range]')).toBeVisible();
  await page.locator('[data-range-sums] button').first().click();
  await page.locator('[data-settings-menu]').click();
  found.push(...await inBothSchemes(page, 'range and settings'));
  expect(found).toEqual([]);
});

/** What the Tab key visits, from the start of the document until it comes round: a mark for each element, and those without visible focus. */
async function tabbed(page) {
  // The browser goes on from where the focus was last: that is the top now.
  await page.evaluate(() => {
    const top = Object.assign(document.createElement('span'), { tabIndex: -1 });
    document.body.prepend(top);
    top.focus();
    top.remove();
  });
  const seen = [];
  const unseen = [];
  for (let i = 0; i < 400; i += 1) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(() => {
      const element = document.activeElement;
      if (!element || element === document.body) return null;
      window.axonTabbed ??= new Set();
      if (window.axonTabbed.has(element)) return null;
      window.axonTabbed.add(element);
      const style = getComputedStyle(element);
      const hasOutline = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0;
      const name = `${element.tagName.toLowerCase()}.${element.className} ${element.getAttribute('aria-label') ?? element.textContent.trim().slice(0, 30)}`;
      return { name, hasFocus: hasOutline || style.boxShadow !== 'none' || element.matches('.drawer__grip') };
    });
    if (!at) break;
    seen.push(at.name);
    if (!at.hasFocus) unseen.push(at.name);
  }
  const missed = await page.evaluate(() => {
    const controls = [...document.querySelectorAll('button, select, input, textarea, summary, a[href], [tabindex="0"]')];
    const isShown = (e) => e.checkVisibility({ visibilityProperty: true }) && !e.disabled && e.tabIndex >= 0 && !e.closest('[aria-hidden="true"]');
    const wanted = controls.filter((e) => isShown(e) && !(e.type === 'radio' && !e.checked));
    return wanted.filter((e) => !window.axonTabbed.has(e)).map((e) => e.outerHTML.slice(0, 120));
  });
  await page.evaluate(() => { window.axonTabbed = undefined; });
  return { seen, unseen, missed };
}

test('the Tab key visits every control, and the focus is seen', async ({ page, site }) => {
  test.setTimeout(120_000);
  await start(page, site);
  const check = async (view) => {
    const { seen, unseen, missed } = await tabbed(page);
    expect(seen.length, view).toBeGreaterThan(5);
    expect(unseen, `${view}: focus not visible`).toEqual([]);
    expect(missed, `${view}: not visited`).toEqual([]);
  };
  await check('start');
  await openProfile(page, join(samples, 'cpu_single.pt.trace.json.gz'));
  for (const view of ['timeline', 'overview', 'operators', 'profile', 'ledger']) {
    await show(page, view);
    await check(view);
  }
});

test('tabs: arrow keys move, Enter opens, Delete closes', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, join(samples, 'cpu_single.pt.trace.json.gz'));
  await openProfile(page, neuron('fused_attention', 'fused_exec_2_profile_full.json'));
  const tabs = page.getByRole('tablist', { name: 'Open profiles' }).or(page.getByRole('tab'));
  await expect(tabs).toHaveCount(3);
  const [first, second] = [page.getByRole('tab').first(), page.getByRole('tab').nth(1)];
  await expect(second).toHaveAttribute('aria-selected', 'true');
  await second.focus();
  await page.keyboard.press('ArrowLeft');
  await expect(first).toBeFocused();
  await page.keyboard.press('Enter');
  await idle(page);
  await expect(first).toHaveAttribute('aria-selected', 'true');
  await first.focus();
  await page.keyboard.press('End');
  await expect(second).toBeFocused();
  await page.keyboard.press('Delete');
  await expect(page.getByRole('tab')).toHaveCount(1);
  await expect(page.getByRole('tab')).toBeFocused();
});

test('nothing moves where the system asks for reduced motion', async ({ page, site }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await start(page, site);
  await openProfile(page, join(samples, 'cpu_single.pt.trace.json.gz'));
  const moving = await page.evaluate(() => {
    const isLong = (text) => text.split(',').some((part) => parseFloat(part) > 0.02);
    return [...document.querySelectorAll('*')].filter((element) => {
      const style = getComputedStyle(element);
      return (style.animationName !== 'none' && isLong(style.animationDuration)) || isLong(style.transitionDuration);
    }).map((element) => element.outerHTML.slice(0, 100));
  });
  expect(moving).toEqual([]);
});
