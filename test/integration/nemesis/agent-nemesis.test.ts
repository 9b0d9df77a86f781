import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { buildBrokenAgent } from '../../nemesis/agent/broken/build-broken-agent.js';
import { runNemesis } from '../../nemesis/agent/nemesis-run.js';
import { limitMs } from '../../support/limit-ms.js';

const bundles: string[] = [];

afterAll(() => {
  for (const bundle of bundles) rmSync(dirname(bundle), { recursive: true, force: true });
});

it('does each prompt once, or says that it does not know, whatever is killed, frozen or cut', {
  timeout: limitMs(300_000),
}, async () => {
  const pace = { least: 1, most: 15 };
  const result = await runNemesis({ prompts: 150, seed: 7, drivers: 8, pace });

  expect(result.violations).toEqual([]);
  expect(result.counts).toMatchObject({ deliveries: 150 });
  expect(result.counts.agentKills).toBeGreaterThan(0);
});

it.each(['after_the_turn', 'some_time_later'] as const)(
  'finds out a store that writes receipts %s',
  async (how) => {
    const bundle = await buildBrokenAgent(how);
    bundles.push(bundle);
    const pace = { least: 1, most: 12 };
    // Which seeds hit the gap depends on the machine; what else they find does not count.
    let isFound = false;
    for (let seed = 1; seed <= 5 && !isFound; seed += 1) {
      const { violations } = await runNemesis({ prompts: 60, seed, drivers: 8, pace, bundle });
      isFound = violations.some(({ rule }) => ['receipt_lost', 'invoked_without_receipt'].includes(rule));
    }

    expect(isFound).toBe(true);
  },
  600_000,
);
