import { describe, expect, it } from 'vitest';
import { aProject } from '../../support/project.js';
import { placedWorkspace } from '../../support/records.js';
import { as, chatStage } from './chat-stage.js';

const stage = await chatStage();

describe('activity', () => {
  it('is shown as it was reported last', async () => {
    const { sessionId, agentSessionId } = await stage.agentSession();
    const state = async () =>
      (await stage.call('chats/state', as(stage.me, stage.here({ sessionId })))).body.state;
    expect(await state()).toMatchObject({ activity: null });

    const begun = { activity: 'prompting', promptStartedAt: 1_000, agentType: 'claude-code' };
    expect(await stage.reportActivity(agentSessionId, begun)).toMatchObject({ status: 204 });
    expect(await state()).toMatchObject({
      activity: 'prompting',
      promptStartedAt: 1_000,
      agentType: 'claude-code',
    });
    await stage.reportActivity(agentSessionId, {
      activity: 'error',
      statusError: 'too long',
      restartCount: 1,
    });
    expect(await state()).toMatchObject({
      activity: 'error',
      statusError: 'too long',
      restartCount: 1,
      promptStartedAt: null,
    });
  });

  it('shows the work outside of turns until the agent reports none', async () => {
    const { sessionId, agentSessionId } = await stage.agentSession();
    const shown = async () =>
      (await stage.call('chats/state', as(stage.me, stage.here({ sessionId })))).body.state;
    const work = { runtimeWorkState: 'active', runtimeWorkCount: 2, runtimeWorkSource: 'harness' };
    const runtimeWorkProgressAt = Date.now() - 60_000;

    await stage.reportActivity(agentSessionId, { activity: 'idle', ...work, runtimeWorkProgressAt });
    const progressAt = new Date(runtimeWorkProgressAt).toISOString();
    expect(await shown()).toMatchObject({
      runtimeWork: { state: 'active', count: 2, source: 'harness', progressAt },
    });

    await stage.reportActivity(agentSessionId, { activity: 'idle' });
    expect(await shown()).toMatchObject({ runtimeWork: null });
  });

  it('of an earlier prompt does not hide the present one', async () => {
    const { sessionId, agentSessionId } = await stage.agentSession();
    await stage.reportActivity(agentSessionId, { activity: 'prompting', promptStartedAt: 2_000 });

    await stage.reportActivity(agentSessionId, { activity: 'prompting', promptStartedAt: 1_000 });

    expect(
      (await stage.call('chats/state', as(stage.me, stage.here({ sessionId })))).body.state,
    ).toMatchObject({
      promptStartedAt: 2_000,
    });
  });

  it('is refused of another workspace, another project and an unknown session', async () => {
    const { agentSessionId } = await stage.agentSession();
    const { workspace: foreign } = await placedWorkspace(
      stage.table,
      { userId: stage.me.userId, status: 'running' },
      stage.node.place,
    );
    const idle = { activity: 'idle' };

    expect(await stage.reportActivity(agentSessionId, idle, { as: foreign })).toMatchObject({ status: 404 });
    expect(
      await stage.reportActivity(agentSessionId, idle, { projectId: aProject().projectId }),
    ).toMatchObject({
      status: 404,
    });
    expect(await stage.reportActivity(aProject().projectId, idle)).toMatchObject({ status: 404 });
  });
});
