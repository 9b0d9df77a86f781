import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ToolCalls } from './tool-calls.js';

let tools: ToolCalls;

beforeAll(async () => {
  tools = await ToolCalls.load();
});

beforeEach(async () => {
  await tools.as();
});

describe('complete_task', () => {
  const evidence = {
    testsRun: [{ command: 'npm test', passed: true }],
    verifications: [{ kind: 'manual', description: 'Swung it' }],
    prUrl: 'https://example.com/pulls/1',
  };

  const repeat = (args: object) => tools.send('tools/call', { name: 'complete_task', arguments: args });

  it('completes the task with summary and evidence, and revokes the token, in three table calls', async () => {
    const { value } = await tools.call('complete_task', { summary: 'Mended', evidence });

    expect(value).toMatchObject({ status: 'completed', instruction: expect.any(String) });
    expect(tools.calls.names).toHaveLength(3);
    expect(await tools.own()).toMatchObject({
      ...{ status: 'completed', outputSummary: 'Mended', completionEvidence: evidence },
      outputPrUrl: evidence.prUrl,
    });
    expect((await tools.send('ping')).status).toBe(401);
  });

  it('returns the same answer to a repeat within five minutes, also after the cleanup', async () => {
    const first = await tools.call('complete_task', { summary: 'Mended', evidence });
    expect(await tools.call('complete_task', { summary: 'Mended', evidence })).toEqual(first);
    await tools.agent.put.session({ status: 'stopped' });
    await tools.agent.put.workspace({ status: 'stopping' });
    tools.calls.reset();

    expect(await tools.call('complete_task', { summary: 'Mended', evidence })).toEqual(first);
    expect(tools.calls.names).toEqual(['BatchGetItemCommand', 'UpdateItemCommand']);
    const earlier = new Date(Date.now() - 5 * 60_000).toISOString();
    await tools.put(await tools.own(), { completedAt: earlier });
    expect((await repeat({ summary: 'Mended', evidence })).status).toBe(401);
  });

  it.each(['javascript:alert(1)', 'data:text/html,x', '#12'])(
    'refuses %s as address of a pull request',
    async (prUrl) => {
      const { body } = await repeat({ summary: 'Mended', evidence: { ...evidence, prUrl } });

      expect(body).toMatchObject({
        error: { code: -32_602, data: { details: [{ field: 'arguments.evidence.prUrl' }] } },
      });
      expect(await tools.own()).toMatchObject({ status: 'in_progress', outputPrUrl: null });
    },
  );

  it('leaves its token valid only for a repeat of the call', async () => {
    await tools.call('complete_task', { summary: 'Mended', evidence });

    const others = [
      await repeat({ summary: 'Mended' }),
      await repeat({ summary: 'Otherwise', evidence }),
      await tools.send('tools/call', { name: 'get_instructions', arguments: {} }),
      await tools.send('tools/call', { name: 'update_task_status', arguments: { message: 'Mended' } }),
      await tools.send('tools/list'),
      await tools.send('initialize', { protocolVersion: '2025-11-25' }),
    ];

    expect(others.map(({ status }) => status)).toEqual(others.map(() => 401));
  });

  it('by another caller does not make the token valid', async () => {
    await tools.agent.put.task({ status: 'completed', completedAt: new Date().toISOString() });

    expect((await repeat({ summary: 'Mended', evidence })).status).toBe(401);
    await tools.agent.put.member({ status: 'removed' });
    expect((await repeat({ summary: 'Mended', evidence })).status).toBe(401);
  });

  it('keeps a conversation open, which waits for its person', async () => {
    await tools.as({ task: { taskMode: 'conversation' } });
    const { value } = await tools.call('complete_task', { summary: 'So far' });

    expect(value).toMatchObject({ status: 'in_progress', executionStep: 'awaiting_followup' });
    expect((await tools.call('get_instructions')).refused).toBe(false);
  });

  it('is accepted before the saga has recorded the start of the agent', async () => {
    await tools.agent.put.task({ status: 'delegated', startedAt: null });
    tools.calls.reset();

    expect((await tools.call('complete_task', { summary: 'Quick' })).value).toMatchObject({
      status: 'completed',
    });
    expect(tools.calls.names).toHaveLength(4);
    expect(await tools.own()).toMatchObject({ startedAt: expect.any(String), outputSummary: 'Quick' });
  });

  it('is refused for a queued task', async () => {
    await tools.agent.put.task({ status: 'queued' });

    expect(await tools.call('complete_task', { summary: 'x' })).toMatchObject({
      refused: true,
      value: { error: 'TASK_NOT_IN_STATE' },
    });
  });
});
