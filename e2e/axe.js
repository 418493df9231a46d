// Accessibility of what is shown: what axe-core finds, and the way of the Tab key through the page.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { idle } from './support.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export const schemes = ['light', 'dark'];

/** Puts axe-core into the page, once it is loaded. */
export const loadAxe = (page) => page.evaluate(axe);

/** What axe-core finds, critical or serious: rule, element, reason. In the second scheme only colours differ. */
export async function axeFindings(page, what, scheme) {
  // Colours change in a short transition.
  await page.evaluate(async () => {
    for (let i = 0; i < 2; i += 1) await new Promise(requestAnimationFrame);
    await Promise.allSettled(document.getAnimations().map((animation) => animation.finished));
  });
  const wrong = await page.evaluate(async (onlyColours) => {
    const options = { resultTypes: ['violations'], ...(onlyColours ? { runOnly: { type: 'rule', values: ['color-contrast'] } } : {}) };
    const { violations } = await window.axe.run(document, options);
    return violations.filter((v) => ['critical', 'serious'].includes(v.impact)).flatMap((v) => v.nodes.slice(0, 3).map((node) =>
      `${v.impact} ${v.id}: ${node.target.join(' ')} (${node.html.slice(0, 160)}): ${node.failureSummary.split('\n').slice(1, 3).join('; ')}`));
  }, scheme !== schemes[0]);
  return wrong.map((text) => `${what}, ${scheme}: ${text}`);
}

/** Shows the page in a scheme, with nothing that moves. */
export async function inScheme(page, scheme) {
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
  await idle(page);
}

/** What axe-core finds in both schemes. */
export async function inBothSchemes(page, what) {
  const found = [];
  for (const scheme of schemes) {
    await inScheme(page, scheme);
    found.push(...await axeFindings(page, what, scheme));
  }
  return found;
}

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
    await Promise.all(Array.from({ length: 12 }, () => page.keyboard.press('Tab')));
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
export async function tabFindings(page, what) {
  const { seen, unseen, missed } = await tabbed(page);
  return [
    ...(seen.length > 5 ? [] : [`${what}: only ${seen.length} controls visited`]),
    ...unseen.map((name) => `${what}: focus not visible on ${name}`),
    ...missed.map((name) => `${what}: not visited by Tab: ${name}`),
  ];
}
