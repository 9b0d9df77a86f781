import { mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { buildAgent, buildPackedAgent } from './build-agent.js';

/**
 * The engine keeps the text of what it runs: a byte here is a byte of every idle agent's memory.
 */
const budgetBytes = 2_140_000;

it.each([
  ['for Node', buildAgent],
  ['for a single executable', buildPackedAgent],
])('keeps the bundle %s within its budget', async (_, build) => {
  const outfile = join(mkdtempSync(join(tmpdir(), 'berth-bundle-')), 'main.js');
  await build(outfile);
  expect(statSync(outfile).size).toBeLessThan(budgetBytes);
});
