import { expect, inject, it } from 'vitest';
import { runSleepNemesis } from '../nemesis/sleep/sleep-run.js';

const isReported = process.platform === 'linux' && !inject('endpoint');
if (!isReported)
  console.warn('Sleep and wake are not broken on purpose here: it takes Linux and an emulator of its own.');

it.skipIf(!isReported)(
  'sleeps and wakes without a lost file or message, or says what is missing, whatever is killed or lost',
  async () => {
    const result = await runSleepNemesis({ cycles: 4, chats: 4, seed: 3, isBuilt: true });

    expect(result.violations).toEqual([]);
    expect(result.counts).toMatchObject({ cycles: 4 });
    expect(result.counts.slept).toBeGreaterThan(0);
  },
  480_000,
);
