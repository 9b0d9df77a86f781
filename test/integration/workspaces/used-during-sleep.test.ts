import { beforeAll, expect, it } from 'vitest';
import { recordUse } from '../../../lambdas/domain/workspaces/record-use.js';
import { SleepStage } from './sleep-stage.js';

let stage: SleepStage;

beforeAll(async () => {
  stage = await SleepStage.start();
});

it.each([
  ['idle', 'running'],
  ['person', 'sleeping'],
] as const)('a use during a sleep by %s leaves the workspace %s', async (by, status) => {
  const sleeper = await stage.sleeper();
  const claim = await stage.claim(sleeper, by);
  await stage.captured(sleeper, claim);
  const { workspaceId, nodeId } = sleeper.workspace;
  const now = new Date(Date.now() + 1_000);
  await recordUse(stage.table, { nodeId: nodeId ?? '', workspaceIds: [workspaceId], now });

  const began = stage.run('begin-sleep', sleeper, claim, { isFallback: false });

  if (by === 'idle') await expect(began).rejects.toMatchObject({ name: 'SleepCancelled' });
  else await began;
  expect((await stage.row(sleeper))?.status).toBe(status);
});
