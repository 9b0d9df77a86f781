import { describe, expect, it } from 'vitest';
import { chatItem } from '../../../lambdas/domain/chats/chat.js';
import { conversationMessage } from '../../support/conversation-message.js';
import { aProject, putItem } from '../../support/project.js';
import { readChat } from '../prompts/a-chat.js';
import { as, chatStage } from './chat-stage.js';

const stage = await chatStage();

describe('activity reported with messages', () => {
  const state = async (sessionId: string) =>
    (await stage.call('chats/state', as(stage.me, stage.here({ sessionId })))).body.state;

  it('is taken with them, for no table call more', async () => {
    const { sessionId, agentSessionId } = await stage.agentSession();
    const activity = stage.doing(agentSessionId, { activity: 'prompting', promptStartedAt: 1_000 });

    const reply = await stage.report([conversationMessage(sessionId, 1)], { activity });

    expect(stage.calls.names).toHaveLength(2);
    expect(reply).toMatchObject({ status: 200, body: { persisted: 1, activityTaken: true } });
    expect(await state(sessionId)).toMatchObject({ activity: 'prompting', promptStartedAt: 1_000 });
    expect(await stage.contents(sessionId)).toEqual(['piece 1']);
  });

  it('of messages that are sent again brings nothing back', async () => {
    const { sessionId, agentSessionId } = await stage.agentSession();
    const begun = stage.doing(agentSessionId, { activity: 'prompting', promptStartedAt: 1_000 });
    await stage.report([conversationMessage(sessionId, 1)], { activity: begun });
    await stage.reportActivity(agentSessionId, { activity: 'idle' });

    const again = await stage.report([conversationMessage(sessionId, 1)], { activity: begun });

    expect(again).toMatchObject({ status: 200, body: { duplicates: 1, activityTaken: false } });
    expect(await state(sessionId)).toMatchObject({ activity: 'idle' });
  });

  it('of an earlier prompt does not hide the present one, and its messages are stored', async () => {
    const { sessionId, agentSessionId } = await stage.agentSession();
    await stage.reportActivity(agentSessionId, { activity: 'prompting', promptStartedAt: 2_000 });
    const activity = stage.doing(agentSessionId, { activity: 'prompting', promptStartedAt: 1_000 });

    await stage.report([conversationMessage(sessionId, 1)], { activity });

    expect(await state(sessionId)).toMatchObject({ promptStartedAt: 2_000 });
    expect(await stage.contents(sessionId)).toEqual(['piece 1']);
  });

  it('of another session or another project is left, and their messages are stored', async () => {
    const { sessionId } = await stage.agentSession();
    const { agentSessionId: other } = await stage.agentSession();
    const { agentSessionId } = await readChat(stage.table, sessionId);
    const { projectId } = aProject();
    const wrong = [
      stage.doing(other, { activity: 'idle' }),
      { ...stage.doing(String(agentSessionId), { activity: 'idle' }), projectId },
    ];

    for (const [index, activity] of wrong.entries())
      expect(await stage.report([conversationMessage(sessionId, index + 1)], { activity })).toMatchObject({
        body: { persisted: 1, activityTaken: false },
      });

    expect(await state(sessionId)).toMatchObject({ activity: null });
  });

  it('wakes the chat when its agent becomes idle and a prompt waits', async () => {
    const { sessionId, agentSessionId } = await stage.agentSession();
    const chat = await readChat(stage.table, sessionId);
    await putItem(stage.table, chatItem({ ...chat, queuedPrompts: 1 }));

    await stage.report([conversationMessage(sessionId, 1)], {
      activity: stage.doing(agentSessionId, { activity: 'idle' }),
    });

    expect(await stage.wakeUpQueues.receive('WAKE_UP_QUEUE_URL')).toContainEqual({ chatId: sessionId });
  });
});

it('that an agent works still changes nothing that anybody sees', async () => {
  const { sessionId, agentSessionId } = await stage.agentSession();
  const working = { activity: 'prompting', promptStartedAt: 1_000 };
  await stage.reportActivity(agentSessionId, working);
  const before = await readChat(stage.table, sessionId);

  await stage.reportActivity(agentSessionId, working);

  const after = await readChat(stage.table, sessionId);
  expect(after.version).toBe(before.version);
  expect(Date.parse(after.activity?.activityAt ?? '')).toBeGreaterThan(
    Date.parse(before.activity?.activityAt ?? ''),
  );
});
