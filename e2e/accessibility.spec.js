// Accessibility: axe-core finds nothing critical or serious in any view of any kind of profile, and the keyboard alone reaches every control.
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
  test(`axe-core and the Tab key on every view of ${kind}`, async ({ page, site }) => {
    test.setTimeout(180_000);
    const found = [];
    await start(page, site);
    await page.evaluate(axe);
    await open(page);
    for (const view of views) {
      await show(page, view);
      found.push(...await inBothSchemes(page, `${kind} ${view}`), ...await tabFindings(page, `${kind} ${view}`));
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

/** What the Tab key visits, from the start of the document until it comes round: a mark for each element, those without visible focus, and controls that it misses. */
async function tabbed(page) {
  await page.evaluate(() => {
    const visit = { elements: new Set(), seen: [], unseen: [], isRound: false };
    const note = ({ target: element }) => {
      if (visit.elements.has(element)) visit.isRound = true;
      if (visit.isRound) return;
      visit.elements.add(element);
      const style = getComputedStyle(element);
      const hasOutline = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0;
      const name = `${element.tagName.toLowerCase()}.${element.className} ${element.getAttribute('aria-label') ?? element.textContent.trim().slice(0, 30)}`;
      visit.seen.push(name);
      if (!hasOutline && style.boxShadow === 'none' && !element.matches('.drawer__grip')) visit.unseen.push(name);
    };
    // The browser goes on from where the focus was last: that is the top now.
    const top = Object.assign(document.createElement('span'), { tabIndex: -1 });
    document.body.prepend(top);
    top.focus();
    top.remove();
    document.addEventListener('focusin', note);
    window.axonTabbed = { visit, note };
  });
  for (let i = 0; i < 40 && !await page.evaluate(() => window.axonTabbed.visit.isRound); i += 1) {
    for (let n = 0; n < 12; n += 1) await page.keyboard.press('Tab');
  }
  return page.evaluate(() => {
    const { visit, note } = window.axonTabbed;
    document.removeEventListener('focusin', note);
    document.activeElement?.blur();
    const controls = [...document.querySelectorAll('button, select, input, textarea, summary, a[href], [tabindex="0"]')];
    const isShown = (e) => e.checkVisibility({ visibilityProperty: true }) && !e.disabled && e.tabIndex >= 0 && !e.closest('[aria-hidden="true"]');
    const wanted = controls.filter((e) => isShown(e) && !(e.type === 'radio' && !e.checked));
    const missed = wanted.filter((e) => !visit.elements.has(e)).map((e) => e.outerHTML.slice(0, 120));
    return { seen: visit.seen, unseen: visit.unseen, missed };
  });
}

/** What is wrong with the way of the Tab key through a page. */
async function tabFindings(page, what) {
  const { seen, unseen, missed } = await tabbed(page);
  return [
    ...(seen.length > 5 ? [] : [`${what}: only ${seen.length} controls visited`]),
    ...unseen.map((name) => `${what}: focus not visible on ${name}`),
    ...missed.map((name) => `${what}: not visited by Tab: ${name}`),
  ];
}

test('the Tab key visits every control of the start page, and the focus is seen', async ({ page, site }) => {
  await start(page, site);
  expect(await tabFindings(page, 'start')).toEqual([]);
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
