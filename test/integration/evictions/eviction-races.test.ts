import { beforeAll, expect, it } from 'vitest';
import { changeChat } from '../../../lambdas/domain/chats/change-chat.js';
import { evictWorkspace } from '../../../lambdas/domain/evictions/evict-workspace.js';
import { recoverEvicted } from '../../../lambdas/domain/evictions/recover-evicted.js';
import { acceptPrompt } from '../../../lambdas/domain/prompts/accept-prompt.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { newBudgets, type Sweep } from '../../../lambdas/sweeps/sweep.js';
import { sweepWorkspace } from '../../../lambdas/sweeps/sweep-workspace.js';
import type { EvictionReport } from '../../../protocol/eviction.js';
import { testObjects } from '../../support/uploads.js';
import { aPrompt, messagesOf, queueOf, readChat } from '../prompts/a-chat.js';
import type { Sleeper } from '../workspaces/sleep-stage.js';
import { EvictionStage } from './eviction-stage.js';

let stage: EvictionStage;

beforeAll(async () => {
  stage = await EvictionStage.start();
});

const log = { debug() {}, info() {}, warn() {}, error() {} };

/** A captured workspace whose agent has not confirmed its last prompt. */
async function interrupted(): Promise<Sleeper> {
  const sleeper = await stage.running();
  await changeChat(stage.table, sleeper.chatId, { set: { unconfirmedId: newId() }, now: new Date() });
  await stage.captured(sleeper);
  return sleeper;
}

const continuations = async ({ chatId }: Sleeper) =>
  (await messagesOf(stage.table, chatId)).filter(({ content }) => content.includes('eviction'));

/** A sweep that can start no saga: none may be started here. */
const sweep = ({ workspace }: Sleeper) =>
  sweepWorkspace(
    {
      ...{ table: stage.table, now: new Date(), log, zone: undefined, objects: testObjects() },
      budgets: newBudgets(),
    } as unknown as Sweep,
    workspace.workspaceId,
  );

it('a message at the same time as the report is kept, and the work is continued once', async () => {
  for (let times = 0; times < 5; times += 1) {
    const sleeper = await interrupted();
    const chat = await readChat(stage.table, sleeper.chatId);
    const prompt = aPrompt({ content: 'And the tests' });

    const [report] = await Promise.all([
      stage.report(sleeper, { workInFlight: true }),
      acceptPrompt(stage.table, prompt, { chat, now: new Date() }),
    ]);

    expect(report.status).toBe(204);
    expect((await stage.row(sleeper)).status).toBe('evicted');
    const after = await stage.chat(sleeper);
    expect([after.status, after.queuedPrompts]).toEqual(['sleeping', 2]);
    const queue = await queueOf(stage.table, sleeper.chatId);
    expect(queue).toHaveLength(2);
    expect(queue).toContain(prompt.deliveryId);
    expect(await continuations(sleeper)).toHaveLength(1);
  }
});

it('the sweep continues what a lost function has left, and its repeats change nothing', async () => {
  const sleeper = await interrupted();
  const { workspaceId, generation, nodeId, projectId, evictionGeneration } = sleeper.workspace;
  const reporter = { workspaceId, generation, nodeId: nodeId ?? '', projectId: projectId ?? '' };
  const report: EvictionReport = {
    ...{ nodeId: nodeId ?? '', workspaceId, reason: 'memory_pressure', evictionGeneration },
    ...{ snapshotCaptured: true, containerStopped: true, workInFlight: true },
  };
  // The function ends after its transaction.
  await evictWorkspace(stage.table, reporter, { report, now: new Date() });
  const { recovery } = await stage.row(sleeper);
  expect([recovery?.chatIds, await continuations(sleeper)]).toEqual([[sleeper.chatId], []]);

  await Promise.all([sweep(sleeper), sweep(sleeper), stage.report(sleeper, { workInFlight: true })]);

  expect(await continuations(sleeper)).toHaveLength(1);
  expect((await stage.row(sleeper)).recovery).toBeUndefined();
  // The function ends before it has forgotten the recovery.
  await stage.change(sleeper, { recovery });
  await sweep(sleeper);
  await recoverEvicted({ table: stage.table, now: new Date(), log } as never, workspaceId);

  expect(await continuations(sleeper)).toHaveLength(1);
  expect((await stage.chat(sleeper)).queuedPrompts).toBe(1);
});
