import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { agentSessionKey } from '../../../lambdas/domain/agent-sessions/agent-session.js';
import { verifyMcpToken } from '../../../lambdas/domain/mcp-tokens/verify-mcp-token.js';
import { deliverNext } from '../../../lambdas/domain/prompts/delivery-worker.js';
import { listDueChats } from '../../../lambdas/domain/prompts/queue.js';
import { getItems } from '../../../lambdas/domain/records/batch-items.js';
import type { Task } from '../../../lambdas/domain/tasks/task.js';
import { taskCountsKey } from '../../../lambdas/domain/tasks/task-limits.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { signingKeys } from '../../support/wrong-tokens.js';
import { queueOf, readPrompt } from '../prompts/a-chat.js';
import { BetweenCalls } from './between-calls.js';
import { answerAsNode, stepNames, TaskRuns } from './task-runs.js';

let runs: TaskRuns;
let betweenCalls: BetweenCalls;

beforeAll(async () => {
  runs = await TaskRuns.start();
  betweenCalls = new BetweenCalls(runs.table.client);
});
afterAll(async () => runs[Symbol.asyncDispose]());
beforeEach(async () => runs.reset());

const cancel = ({ taskId }: Task) =>
  runs.mine.call('cancel', { params: { taskId }, body: { reason: 'changed my mind' } });

const allSteps = [...stepNames.slice(0, 2), 'transfer-attachment', ...stepNames.slice(2)] as const;

describe('a cancellation and its cleanup between any two table calls of a step', () => {
  it.each(allSteps)('of %s leaves no workspace, agent session or token', async (name) => {
    let call = 1;
    while (await cancelledBefore(call, name)) call += 1;
    // Fewer calls would mean that no step was interrupted.
    expect(call).toBeGreaterThan(2);
  });
});

/** False when the step ended before its n-th table call. */
async function cancelledBefore(call: number, name: (typeof allSteps)[number]): Promise<boolean> {
  runs.node.requests = [];
  runs.node.onRequest = async (request) =>
    request.path.endsWith('/files/upload') ? { status: 200, body: { files: [] } } : answerAsNode(request);
  const task = await runs.submitted({ attachments: [await runs.uploaded('a note')] });
  for (const before of allSteps.slice(0, allSteps.indexOf(name))) await once(before, task);
  if (name === 'check-workspace') await runs.provision(task);
  betweenCalls.before(call, async () => {
    await cancel(task);
    await runs.end(task);
  });
  const outcome = await repeated(name, task);
  if (!betweenCalls.end()) return false;
  for (const later of allSteps.slice(allSteps.indexOf(name) + (outcome === 'TaskEnded' ? 0 : 1)))
    expect(await repeated(later, task), `${later}, cancelled before call ${call} of ${name}`).toBe(
      'TaskEnded',
    );
  expect(await runs.end(task)).toBe(true);
  await expectPutAway(task);
  return true;
}

async function once(name: (typeof allSteps)[number], task: Task): Promise<void> {
  await runs.step(name, task, { index: 0 });
  if (name === 'create-workspace') await runs.provision(task);
}

/** Retries as the saga does, unless the error ends the execution. */
async function repeated(name: (typeof allSteps)[number], task: Task): Promise<string> {
  let error = '';
  for (let attempt = 0; attempt < 4; attempt += 1) {
    error = await runs.step(name, task, { index: 0 }).then(
      () => '',
      (thrown: Error) => thrown.name,
    );
    if (error === '' || error === 'TaskEnded') return error;
  }
  return error;
}

async function expectPutAway(task: Task): Promise<void> {
  const ended = await runs.present(task);
  const { projectId, taskId, workspaceId, agentSessionId } = ended;
  expect(ended).toMatchObject({ status: 'cancelled', errorMessage: null, finalizedAt: expect.any(String) });
  expect((await runs.chatOf(task)).status).toBe('stopped');
  const keys = {
    counts: taskCountsKey(projectId),
    session: agentSessionKey(String(workspaceId), String(agentSessionId)),
  };
  const find = await getItems(runs.table, Object.values(keys));
  expect(find(keys.counts)?.activeTaskIds ?? new Set()).not.toContain(taskId);
  expect(find(keys.session)?.status ?? 'stopped').toBe('stopped');
  if (workspaceId) expect((await runs.workspaceOf(task)).status).toBe('stopping');
  await expectNoTools();
  await expectNothingWaits(ended);
}

/** Every agent token that the node received. */
async function expectNoTools(): Promise<void> {
  const servers = JSON.stringify(runs.node.requests.map(({ body }) => body.mcpServers ?? []));
  for (const [, secret = ''] of servers.matchAll(/"token":"([^"]+)"/g))
    await expect(verifyMcpToken(runs.table, { secret, now: new Date() })).rejects.toThrow();
}

/**
 * A prompt that waits to start an agent is found by the wake-up sweep and fails when its run has
 * ended.
 */
async function expectNothingWaits({ taskId: chatId, startDeliveryId }: Task): Promise<void> {
  const { table } = runs;
  const soon = new Date(Date.now() + 60_000);
  if ((await listDueChats(table, soon)).includes(chatId))
    await deliverNext(table, { keys: signingKeys(), now: soon, newId }, chatId);
  const { deliveryState } = await readPrompt(table, chatId, String(startDeliveryId));
  expect(['delivered', 'failed', 'ambiguous']).toContain(deliveryState);
  expect(await queueOf(table, chatId)).toEqual([]);
}
