// The drawer of a device's instruction, the rows of DMA transfers, and source beside the timeline: against the file's own figures.
import { readFileSync } from 'node:fs';
import { expect, dropFiles, idle, neuron, lanes, openProfile, picture, show, start, test, visible } from './support.js';

const fused = () => neuron('fused_attention', 'fused_exec_2_profile_full.json');
const drawer = (page) => page.locator('[data-view="details"]');

test('waits lead to what signalled them, operands and dependencies are explained', async ({ page, site }) => {
  const told = JSON.parse(readFileSync(fused()));
  await start(page, site);
  await openProfile(page, fused());
  await show(page, 'operators');
  await page.locator('[data-view="operators"] .table__filter').first().fill('TENSOR_REDUCE');
  await page.locator('table[data-table="operators"] tbody tr[data-row] td').first().click();
  await idle(page);
  await expect(drawer(page)).toBeVisible();
  const fields = drawer(page).locator('dl');
  await expect(fields.filter({ hasText: 'opcode' }).first()).toContainText('TENSOR_REDUCE');
  await expect(drawer(page)).not.toContainText('unknown');
  await expect(drawer(page).locator('dt', { hasText: /^opcode$/ })).toHaveAttribute('title', 'Operation of the engine');
  const at = Number((await drawer(page).locator('dt', { hasText: /^timestamp$/ }).locator('xpath=following-sibling::dd[1]').textContent()).replace(/\D/g, ''));
  const record = told.instruction.find((r) => r.timestamp === at && r.opcode === 'TENSOR_REDUCE');
  const operands = drawer(page).locator('[data-part="operands"]');
  await expect(operands.locator('li')).toHaveCount(record.operands.replace(/\] \(/g, '](').trim().split(/\s+/).length);
  await expect(operands).toContainText('channels=128');
  await expect(operands).toContainText('Active partitions');
  const kinds = new Map();
  for (const p of record.predecessors) kinds.set(p.type, (kinds.get(p.type) ?? 0) + 1);
  for (const [kind, n] of kinds) await expect(drawer(page).locator(`[data-part="predecessors"] [data-kind="${kind}"]`)).toContainText(`${n}`);
  // Beside the dependencies of the file stand the producers of what it reads, found by addresses.
  const producers = 'writes what this reads';
  const recorded = `[data-part="predecessors"] [data-kind]:not([data-kind="${producers}"]) + ul [data-neighbour]`;
  await expect(drawer(page).locator(recorded)).toHaveCount(record.predecessors.length);
  await expect(drawer(page).locator(`[data-part="predecessors"] [data-kind="${producers}"] + ul [data-neighbour]`).first()).toBeVisible();
  const wait = drawer(page).locator('[data-part="waits"] li').first();
  await expect(wait).toContainText('before it began');
  await picture(page, 'details-light-1440');
  const signal = drawer(page).locator('[data-part="waits"] [data-signal]').first();
  const by = await signal.textContent();
  await signal.click();
  await idle(page);
  await expect(drawer(page).locator('.drawer__title')).toContainText(by.trim());
  await expect(drawer(page).locator('[data-part="sets"]')).toBeVisible();
  // However long what stands behind it: a link has its name.
  const widths = await drawer(page).locator('[data-signal]').evaluateAll((all) => all.map((e) => e.getBoundingClientRect().width));
  expect(Math.min(...widths)).toBeGreaterThan(20);
  await page.setViewportSize({ width: 390, height: 844 });
  await idle(page);
  await picture(page, 'details-light-390');
});

test('DMA transfers stand by queue or by engine, expanded or merged, and the link keeps it', async ({ page, site }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  const told = JSON.parse(readFileSync(fused()));
  const labels = page.locator('.timeline__label');
  await start(page, site);
  await openProfile(page, fused());
  await show(page, 'timeline');
  await page.getByLabel('Show only rows with this text in their path').fill('NC 4 / DMA');
  await page.locator('[data-settings-menu]').click();
  const panel = page.locator('[data-settings]');
  await panel.locator('[data-setting="dma-rows"]').selectOption('engine');
  await idle(page);
  const engines = new Set(told.dma.filter((r) => r.subgraph === 'sg00').map((r) => `DMA-E${r.dma_engine}`));
  await expect(labels.filter({ hasText: /DMA-E\d+/ })).toHaveCount(engines.size);
  // A slice that was moved is still the same record.
  await panel.locator('[data-setting="from"]').fill('14000');
  await panel.locator('[data-setting="from"]').press('Enter');
  await panel.locator('[data-setting="to"]').fill('20000');
  await panel.locator('[data-setting="to"]').press('Enter');
  await page.keyboard.press('Escape');
  await page.getByLabel('Show only rows with this text in their path').fill('NC 4 / DMA / DMA-E70');
  await idle(page);
  const longest = told.dma.filter((r) => r.subgraph === 'sg00' && r.dma_engine === '70' && r.timestamp > 14000 && r.timestamp < 19000).sort((a, b) => b.duration - a.duration)[0];
  const [shown, canvas, label] = [await visible(page), await (await lanes(page)).boundingBox(), await labels.filter({ hasText: 'DMA-E70' }).boundingBox()];
  const x = canvas.x + ((longest.timestamp + longest.duration / 2 - shown.from) / shown.span) * canvas.width;
  await page.mouse.click(x, label.y + 9);
  await expect(drawer(page)).toBeVisible();
  const value = async (key) => (await drawer(page).locator('dt', { hasText: new RegExp(`^${key}$`) }).locator('xpath=following-sibling::dd[1]').textContent()).trim();
  expect(await value('dma_engine')).toBe('70');
  const start_ns = Number((await value('timestamp')).replace(/\D/g, ''));
  expect(start_ns).toBe(longest.timestamp);
  await page.getByLabel('Show only rows with this text in their path').fill('NC 4 / DMA');
  await page.locator('[data-settings-menu]').click();
  await panel.locator('[data-setting="dma"]').selectOption('expanded');
  await panel.locator('[data-setting="dma-rows"]').selectOption('');
  await idle(page);
  const rings = new Set(told.dma.filter((r) => r.subgraph === 'sg00').map((r) => r.subgroup));
  await expect(labels.filter({ hasText: /Q\d+-E\d+/ }).first()).toBeVisible();
  expect(rings.has((await labels.filter({ hasText: /Q\d+-E\d+/ }).first().textContent()).match(/Q\d+-E\d+/)[0])).toBe(true);
  await panel.locator('[data-setting="dma"]').selectOption('aggregated');
  await idle(page);
  await expect(labels.filter({ hasText: 'qGpSimdDynamic' }).first()).toBeVisible();
  await expect.poll(() => page.url()).toContain('s.timeline.dma=aggregated');
  await picture(page, 'dma-aggregated-dark-1440');
});

test('crowds of small transfers are marked above the rows, colours have a legend', async ({ page, site }) => {
  const file = neuron('baseline_attention', 'baseline_exec_2_profile_full.json');
  const told = JSON.parse(readFileSync(file)).dma.filter((r) => r.subgraph === 'sg00' && r.transfer_size < 512);
  await start(page, site);
  await openProfile(page, file);
  await show(page, 'timeline');
  // The rows fill what is left of the page, and no more.
  const plot = await page.locator('.timeline__scroll').boundingBox();
  expect(plot.height).toBeGreaterThan(400);
  expect(plot.y + plot.height).toBeLessThanOrEqual(901);
  const band = page.locator('[data-band="SmallTransfers"]');
  await expect(band).toHaveCount(1);
  const at = told.filter((r) => r.timestamp >= 15085 && r.timestamp < 18870);
  expect(at.length).toBe(64);
  await expect(band).toHaveAttribute('title', new RegExp(`64 small DMA transfers, ${at.reduce((sum, r) => sum + r.transfer_size, 0)} B in total`));
  await page.locator('[data-settings-menu]').click();
  const panel = page.locator('[data-settings]');
  await panel.locator('[data-setting="legend"]').check();
  await expect(page.locator('[data-legend-item="MATMUL"]')).toBeVisible();
  await panel.locator('[data-setting="bands"]').uncheck();
  await expect(band).toHaveCount(0);
  await panel.locator('[data-setting="from"]').fill('15000');
  await panel.locator('[data-setting="from"]').press('Enter');
  await idle(page);
  await expect(page.locator('[data-view="timeline"]')).toHaveAttribute('data-window', /^15000-/);
  expect(page.url()).toContain('s.timeline.legend=true');
});

/** A small run with two lines of source. */
function made() {
  const row = (id, engine, opcode, timestamp, duration, place, elements) => ({
    id, label: engine, subgroup: engine, subgraph: 'sg00', opcode, timestamp, duration, operands: '', evt_wait_time: 0, pc: id,
    nki_source_location: place, ...(elements ? { elements } : {}),
  });
  const json = {
    metadata: [{ first_hw_timestamp: 0, last_hw_timestamp: 2000 }],
    instruction: [
      row(1, 'Tensor', 'MATMUL', 0, 600, '/src/me/project/kernels/attention.py:3', 4194304),
      row(2, 'Vector', 'TENSOR_REDUCE', 700, 100, '/src/me/project/kernels/attention.py:4'),
      row(3, 'Vector', 'TENSOR_REDUCE', 900, 100, '/src/me/project/kernels/attention.py:4'),
      row(4, 'Scalar', 'ACTIVATE', 1000, 500, '/src/me/project/kernels/attention.py:5'),
    ],
  };
  return { name: 'made.json', bytes: JSON.stringify(json) };
}

const code = ['import nki', '', 'scores = matmul(q, k)', 'top = reduce_max(scores)', 'out = exp(scores - top)', ''].join('\n');

test('a dropped source stands beside the timeline with its figures', async ({ page, site }) => {
  await start(page, site);
  await dropFiles(page, made());
  await show(page, 'source');
  const table = page.locator('table[data-table="source"]');
  await expect(table).toContainText('/src/me/project/kernels/attention.py:3');
  await expect(table).toContainText('600 ns');
  await page.evaluate((text) => {
    const transfer = new DataTransfer();
    for (const [name, content] of [['attention.py', text], ['README.md', '# read me'], ['.gitignore', 'x']]) transfer.items.add(new File([content], name));
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }, code);
  await idle(page);
  const pane = page.locator('[data-view="source-pane"]');
  await expect(pane).toBeVisible();
  // What lies beside the source in its folder is no profile that failed.
  await expect(page.locator('[role="alert"]')).toHaveCount(0);
  const line = (n) => pane.locator(`[data-line="${n}"]`);
  await expect(line(3)).toContainText('scores = matmul(q, k)');
  await expect(line(3)).toContainText('600 ns');
  await expect(line(3)).toContainText('8.39 M');
  await expect(line(4).locator('.source__figure').first()).toHaveText('2');
  await line(4).click();
  await idle(page);
  await expect(line(4)).toHaveClass(/source__line--here/);
  await expect(page.locator('[role="status"]').filter({ hasText: 'TENSOR_REDUCE' })).toHaveCount(1);
  // A place in the details leads to its line.
  const place = drawer(page).locator('[data-place]').first();
  const number = (await place.getAttribute('data-place')).split(':').pop();
  await place.click();
  await idle(page);
  await expect(pane.locator('.source__line--here')).toHaveCount(1);
  await expect(line(number)).toHaveClass(/source__line--here/);
  // Beside the source all tools can still be reached.
  const cut = await page.locator('.timeline__tools').evaluate((e) => e.scrollWidth - e.clientWidth);
  expect(cut).toBeLessThanOrEqual(0);
  await picture(page, 'source-light-1440');
  await page.setViewportSize({ width: 390, height: 844 });
  await idle(page);
  // With the details open there is room for lines of code.
  expect((await pane.locator('.source__code').boundingBox()).height).toBeGreaterThan(60);
  await picture(page, 'source-light-390');
});

test('ids and raw fields can be left out of the details, and the link keeps it', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, fused());
  await show(page, 'operators');
  await page.locator('[data-view="operators"] .table__filter').first().fill('TENSOR_REDUCE');
  await page.locator('table[data-table="operators"] tbody tr[data-row] td').first().click();
  await idle(page);
  const group = (name) => drawer(page).locator(`[data-fields="${name}"]`);
  const pc = group('Instruction').locator('dt', { hasText: /^pc$/ });
  const advanced = drawer(page).locator('[data-advanced]');
  await expect(advanced).toBeChecked();
  for (const name of ['Links', 'Check']) await expect(group(name)).toBeVisible();
  await expect(pc).toBeVisible();
  await advanced.uncheck();
  for (const name of ['Links', 'Check']) await expect(group(name)).toHaveCount(0);
  await expect(pc).toHaveCount(0);
  await expect(group('Instruction').locator('dt', { hasText: /^opcode$/ })).toBeVisible();
  await expect(drawer(page).locator('[data-part="predecessors"]')).toBeVisible();
  await idle(page);
  await expect.poll(() => page.url()).toContain('s.details.advanced=false');
  await advanced.check();
  await expect(group('Links')).toBeVisible();
});
