import { expect, inject, it } from 'vitest';
import { runCloudNemesis } from '../nemesis/cloud/cloud-run.js';

const isReported = process.platform === 'linux' && !inject('endpoint');
if (!isReported)
  console.warn('The cloud is not broken on purpose here: it takes Linux and an emulator of its own.');

it.skipIf(!isReported)(
  'brings each message to its agent once, or says why not, whatever is killed, frozen, lost or doubled',
  async () => {
    const result = await runCloudNemesis({
      prompts: 18,
      chats: 3,
      seed: 7,
      pauseMs: [500, 2_500],
      faultsMs: 0,
      settleMs: 150_000,
      isBuilt: true,
    });

    expect(result.violations).toEqual([]);
    expect(result.counts).toMatchObject({ prompts: 18, chats: 3, lose_node: 1, remove_member: 1 });
  },
  480_000,
);
