import { expect, inject, it } from 'vitest';
import { runChannelNemesis } from '../nemesis/cloud/channels/channel-run.js';

const isReported = process.platform === 'linux' && !inject('endpoint');
if (!isReported)
  console.warn('Channels are not broken on purpose here: it takes Linux and an emulator of its own.');

it.skipIf(!isReported)(
  'shows each publication to each follower once and in order, and wakes no agent by its own, under faults',
  async () => {
    const result = await runChannelNemesis({
      publications: 60,
      agents: 5,
      channels: 2,
      seed: 7,
      cooldownMs: 4_000,
      pauseMs: [100, 500],
      settleMs: 150_000,
      isBuilt: true,
    });

    expect(result.violations).toEqual([]);
    expect(result.counts).toMatchObject({ publications: 60, publishers: 5, followers: 3 });
    expect(result.history.writeFaults).not.toEqual([]);
  },
  480_000,
);
