import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../../lambdas/shared/ids.js';
import { ToolCalls } from './tool-calls.js';

let tools: ToolCalls;

beforeAll(async () => {
  tools = await ToolCalls.load();
});

beforeEach(async () => {
  await tools.as();
});

describe('dispatch_task', () => {
  it('submits a subtask of the caller’s task in four table calls', async () => {
    const value = await tools.dispatch({ references: ['gate.ts'], priority: 7, agentType: 'openai-codex' });

    expect(tools.calls.names).toHaveLength(4);
    expect(value).toMatchObject({
      ...{ status: 'queued', title: 'Paint the gate', taskMode: 'task', dispatchDepth: 1, repeated: false },
      branchName: expect.stringMatching(/^svc\/paint-the-gate-/),
      sessionId: value.taskId,
    });
    expect(await tools.read(value.taskId)).toMatchObject({
      ...{ parentTaskId: tools.agent.draft.taskId, triggeredBy: 'agent', userId: tools.agent.project.userId },
      ...{ priority: 7, description: 'Paint the gate\n\nLook at:\n- gate.ts' },
      launch: { agentType: { value: 'openai-codex', from: 'request' } },
    });
    expect(await tools.promptsOf(value.taskId)).toMatchObject([{ kind: 'start', senderType: 'agent' }]);
    expect(await tools.own()).toMatchObject({ subTaskCount: 1 });
  });

  it('returns the same task for a repeat, and one task for ten parallel calls', async () => {
    const replies = await Promise.all(Array.from({ length: 10 }, () => tools.dispatch()));
    const again = await tools.dispatch();

    expect(new Set([...replies, again].map(({ taskId }) => taskId)).size).toBe(1);
    expect(again).toMatchObject({ repeated: true, title: 'Paint the gate', dispatchDepth: 1 });
    expect(await tools.own()).toMatchObject({ subTaskCount: 1 });
    expect((await tools.dispatch({ idempotencyKey: 'second' })).taskId).not.toBe(again.taskId);
  });

  it('starts from the branch that it names, and so does a retry', async () => {
    const { taskId } = await tools.dispatch({ branch: 'release/2' });
    expect(await tools.read(taskId)).toMatchObject({ baseBranch: 'release/2' });

    await tools.put(await tools.read(taskId), { status: 'failed' });
    const { value } = await tools.call('retry_subtask', { taskId });
    expect(await tools.read(value.taskId)).toMatchObject({ baseBranch: 'release/2' });
    expect(value).toMatchObject({ runtime: 'vm', runtimeReason: 'only_runtime' });
  });

  it('honours or refuses each hint of where the task runs, and never ignores one', async () => {
    const here = { provider: 'aws', vmLocation: process.env.AWS_REGION, runtime: 'vm' };
    expect(await tools.dispatch(here)).toMatchObject({ runtime: 'vm', runtimeReason: 'requested' });

    for (const [field, value] of [
      ['provider', 'hetzner'],
      ['vmLocation', 'mars-1'],
      ['runtime', 'cf-container'],
    ] as const)
      expect(await tools.dispatch({ idempotencyKey: field, ...here, [field]: value })).toMatchObject({
        error: 'PLACEMENT_NOT_POSSIBLE',
        details: [{ field: `arguments.${field}` }],
      });
    expect(await tools.own()).toMatchObject({ subTaskCount: 1 });
  });

  it('refuses a sixth subtask, and a fourth level', async () => {
    for (const idempotencyKey of ['1', '2', '3', '4', '5']) await tools.dispatch({ idempotencyKey });
    expect(await tools.dispatch({ idempotencyKey: '6' })).toMatchObject({ error: 'SUB_TASK_LIMIT_REACHED' });

    await tools.as({ task: { dispatchDepth: 3 } });
    expect(await tools.dispatch()).toMatchObject({ error: 'SUB_TASK_LIMIT_REACHED' });
  });

  it('refuses an eleventh active task of the project', async () => {
    for (let made = 0; made < 2; made += 1) {
      const other = await tools.another();
      for (const idempotencyKey of ['1', '2', '3', '4', '5'])
        await tools.call('dispatch_task', { description: 'x', idempotencyKey }, other);
    }

    expect(await tools.dispatch()).toMatchObject({ error: 'TASK_CONCURRENCY_REACHED' });
    expect(await tools.own()).toMatchObject({ subTaskCount: 0 });
  });

  it('refuses a description that is too long together with its references', async () => {
    const references = Array.from({ length: 20 }, (_, index) => `${index}`.padEnd(500, 'x'));

    expect(await tools.dispatch({ description: 'x'.repeat(32_000), references })).toMatchObject({
      error: 'BAD_REQUEST',
      details: [{ field: 'arguments.references' }],
    });
  });

  it('passes the coordination channel on to children and retries', async () => {
    const value = await tools.dispatch({ coordinationChannel: 'gates' });
    const child = await tools.read(value.taskId);
    const [prompt] = await tools.promptsOf(value.taskId);
    expect(child).toMatchObject({ coordinationChannel: 'gates' });
    expect(prompt).toMatchObject({ content: child.description });
    expect(child.description).toMatch(/^Paint the gate\n\n## Coordination channel\n\n.* channel gates:/);

    await tools.put(child, { status: 'failed' });
    const retry = await tools.read(
      (await tools.call('retry_subtask', { taskId: value.taskId })).value.taskId,
    );
    expect(retry).toMatchObject({ coordinationChannel: 'gates', description: child.description });

    await tools.as({ task: { coordinationChannel: 'gates' } });
    expect((await tools.call('get_instructions')).value).toMatchObject({
      task: { coordinationChannel: 'gates' },
    });
    const inherited = await tools.dispatch();
    expect(await tools.read(inherited.taskId)).toMatchObject({ coordinationChannel: 'gates' });
    expect(await tools.dispatch()).toMatchObject({ taskId: inherited.taskId, repeated: true });
    const other = await tools.dispatch({ coordinationChannel: 'doors' });
    expect(await tools.read(other.taskId)).toMatchObject({ coordinationChannel: 'doors' });
  });

  it('names the argument with an unknown profile', async () => {
    expect(await tools.dispatch({ agentProfileId: newId() })).toMatchObject({
      error: 'BAD_REQUEST',
      details: [{ field: 'arguments.agentProfileId' }],
    });
  });

  it('creates a top-level task in a conversation', async () => {
    await tools.as({ project: tools.agent.project });
    const { value } = await tools.call('dispatch_task', { description: 'Paint' });

    expect(await tools.read(value.taskId)).toMatchObject({ parentTaskId: null, dispatchDepth: 0 });
  });

  it('is refused when the member has lost the right to change tasks', async () => {
    await tools.agent.put.member({ role: 'viewer' });

    expect(await tools.dispatch()).toMatchObject({ error: 'FORBIDDEN' });
  });
});

describe('retry_subtask', () => {
  it('submits the same work again, once per task and three times in total', async () => {
    const resourceRequirements = { minVcpu: 4, exclusiveNode: false };
    let { taskId } = await tools.dispatch({ agentType: 'openai-codex', priority: 3, resourceRequirements });
    expect((await tools.call('retry_subtask', { taskId })).value).toMatchObject({
      error: 'TASK_NOT_IN_STATE',
    });

    for (const retryCount of [1, 2, 3]) {
      await tools.put(await tools.read(taskId), { status: 'failed' });
      const { value } = await tools.call('retry_subtask', { taskId });
      const repeat = await tools.call('retry_subtask', { taskId });
      expect(repeat.value).toMatchObject({ taskId: value.taskId, repeated: true });
      expect(await tools.read(value.taskId)).toMatchObject({
        ...{ retryOf: taskId, retryCount, description: 'Paint the gate', priority: 3 },
        launch: {
          agentType: { value: 'openai-codex', from: 'request' },
          resourceRequirements: {
            minVcpu: { value: 4, from: 'request' },
            exclusiveNode: { value: false, from: 'request' },
            minDiskGb: { from: 'platform' },
          },
        },
      });
      ({ taskId } = value);
    }

    await tools.put(await tools.read(taskId), { status: 'failed' });
    expect((await tools.call('retry_subtask', { taskId })).value).toMatchObject({
      error: 'RETRY_LIMIT_REACHED',
    });
  });

  it('accepts a new description', async () => {
    const { taskId } = await tools.dispatch();
    await tools.put(await tools.read(taskId), { status: 'completed' });

    const { value } = await tools.call('retry_subtask', { taskId, newDescription: 'Paint it green' });

    expect(await tools.read(value.taskId)).toMatchObject({ description: 'Paint it green' });
  });
});
