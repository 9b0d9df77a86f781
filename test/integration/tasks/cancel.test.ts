import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { verifyMcpToken } from '../../../lambdas/domain/mcp-tokens/verify-mcp-token.js';
import { deliverNext } from '../../../lambdas/domain/prompts/deliver-next.js';
import { getItems } from '../../../lambdas/domain/records/get-items.js';
import type { Task } from '../../../lambdas/domain/tasks/task.js';
import { taskCountsKey } from '../../../lambdas/domain/tasks/task-counts.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { signingKeys } from '../../support/wrong-tokens.js';
import { queueOf, readPrompt } from '../prompts/a-chat.js';
import { agentAnswers } from './agent-answers.js';
import { BetweenCalls } from './between-calls.js';
import { Executions, type StepName, stepNames } from './executions.js';

let executions: Executions;
let betweenCalls: BetweenCalls;

beforeAll(async () => {
  executions = await Executions.start(['cancel', 'request-upload']);
  betweenCalls = new BetweenCalls(executions.table.client);
});
afterAll(async () => executions[Symbol.asyncDispose]());
beforeEach(async () => executions.reset());

const cancel = ({ taskId }: Task) =>
  executions.mine.call('cancel', { params: { taskId }, body: { reason: 'changed my mind' } });

it.each([
  ['before the first step', undefined, undefined],
  ['after the workspace was made', 'create-workspace', 'stopping'],
  ['after it came to run', 'look-at-workspace', 'stopping'],
  ['after the agent session was made', 'start-agent', 'stopping'],
  ['after the agent was begun', 'deliver-prompt', 'stopping'],
] as const)(
  'a cancellation %s stops what follows and puts away what there is',
  async (_when, last, status) => {
    const task = last ? await executions.runUpTo(last) : await executions.submitted();
    expect(await cancel(task)).toMatchObject({ status: 200, body: { status: 'cancelled' } });
    expect((await cancel(task)).status).toBe(200);

    for (const name of stepNames) {
      await expect(executions.run(name, task)).rejects.toMatchObject({ name: 'TaskEnded' });
    }
    executions.started.length = 0;
    expect(await executions.end(task)).toBe(true);
    expect(await executions.end(task)).toBe(true);

    await expectPutAway(task);
    if (!status) return;
    const workspace = await executions.workspaceOf(task);
    expect(workspace.status).toBe(status);
    // An agent has worked in it: its files can be had again.
    expect(workspace.deletion === undefined).toBe(last === 'deliver-prompt');
    expect(executions.started).toHaveLength(1);
  },
);

const allSteps = [...stepNames.slice(0, 2), 'transfer-attachment', ...stepNames.slice(2)] as const;

describe('a cancellation, with all that follows from it, between any two table calls', () => {
  it.each(allSteps)('of %s leaves nothing of the execution', async (name) => {
    let call = 1;
    while (await cancelledBefore(call, name)) call += 1;
    // Fewer would mean that nothing was cancelled in the midst of anything.
    expect(call).toBeGreaterThan(2);
  });
});

/** False when the step was over before its n-th call. */
async function cancelledBefore(call: number, name: (typeof allSteps)[number]): Promise<boolean> {
  executions.node.requests = [];
  executions.node.onRequest = async (request) =>
    request.path.endsWith('/files/upload') ? { status: 200, body: { files: [] } } : agentAnswers(request);
  const task = await executions.submitted({ attachments: [await executions.uploaded('a note')] });
  for (const before of allSteps.slice(0, allSteps.indexOf(name))) await once(before, task);
  if (name === 'look-at-workspace') await executions.provision(task);
  betweenCalls.before(call, async () => {
    await cancel(task);
    await executions.end(task);
  });
  const outcome = await repeated(name, task);
  if (!betweenCalls.end()) return false;
  for (const later of allSteps.slice(allSteps.indexOf(name) + (outcome === 'TaskEnded' ? 0 : 1)))
    expect(await repeated(later, task), `${later}, cancelled before call ${call} of ${name}`).toBe(
      'TaskEnded',
    );
  expect(await executions.end(task)).toBe(true);
  await expectPutAway(task);
  return true;
}

async function once(name: StepName, task: Task): Promise<void> {
  await executions.run(name, task, { index: 0 });
  if (name === 'create-workspace') await executions.provision(task);
}

/** As its saga does: again, unless the error is one that ends it. */
async function repeated(name: StepName, task: Task): Promise<string> {
  let error = '';
  for (let attempt = 0; attempt < 4; attempt += 1) {
    error = await executions.run(name, task, { index: 0 }).then(
      () => '',
      (thrown: Error) => thrown.name,
    );
    if (error === '' || error === 'TaskEnded') return error;
  }
  return error;
}

async function expectPutAway(task: Task): Promise<void> {
  const { table } = executions;
  const ended = await executions.present(task);
  expect(ended).toMatchObject({ status: 'cancelled', errorMessage: null, finalizedAt: expect.any(String) });
  expect((await executions.chatOf(task)).status).toBe('stopped');
  expect((await executions.sessionOf(ended))?.status ?? 'stopped').toBe('stopped');
  const key = taskCountsKey(task.projectId);
  expect((await getItems(table, [key]))(key)?.activeTaskIds ?? new Set()).not.toContain(task.taskId);
  if (ended.workspaceId) expect(await executions.workspaceOf(task)).toMatchObject({ status: 'stopping' });
  await expectNoTools();
  await expectNothingWaits(task);
}

/** Every token that the node was told of for an agent. */
async function expectNoTools(): Promise<void> {
  const told = JSON.stringify(executions.node.requests.map(({ body }) => body.mcpServers ?? []));
  for (const [, secret = ''] of told.matchAll(/"token":"([^"]+)"/g))
    await expect(verifyMcpToken(executions.table, { secret, now: new Date() })).rejects.toThrow();
}

/** The next bell, or the sweep's, ends what was said to an agent that there will not be. */
async function expectNothingWaits({ taskId: chatId, startDeliveryId }: Task): Promise<void> {
  const { table } = executions;
  await deliverNext(table, { keys: signingKeys(), now: new Date(), newId }, chatId);
  expect(await queueOf(table, chatId)).toEqual([]);
  const { deliveryState } = await readPrompt(table, chatId, String(startDeliveryId));
  expect(['delivered', 'failed', 'ambiguous']).toContain(deliveryState);
}
