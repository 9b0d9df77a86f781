import { describe, expect, it } from 'vitest';
import { chatItem } from '../../../lambdas/domain/chats/chat.js';
import { conversationMessage } from '../../support/conversation-message.js';
import { putItem } from '../../support/project.js';
import { type SignedIn, signIn } from '../../support/sign-in.js';
import { readChat } from '../prompts/a-chat.js';
import { as, chatStage } from './chat-stage.js';

const stage = await chatStage();

describe('a message to the agent', () => {
  const prompt = (sessionId: string, body: object, more: { who?: SignedIn; key?: string } = {}) =>
    stage.call(
      'chats/prompt',
      as(more.who ?? stage.me, {
        ...stage.here({ sessionId }),
        body,
        ...(more.key ? { headers: { 'idempotency-key': more.key } } : {}),
      }),
    );

  it('is taken on, seen at once, and rung for, with at most three table calls', async () => {
    const { sessionId } = await stage.agentSession({ agentType: 'claude-code' });

    const sent = await prompt(sessionId, { content: 'Fix it' });

    expect(stage.calls.names.length, stage.calls.names.join()).toBeLessThanOrEqual(3);
    const { deliveryId, messageId } = sent.body as unknown as Record<string, string>;
    expect(sent).toMatchObject({ status: 202, body: { accepted: true, status: 'queued' } });
    expect(await stage.wakeUpQueues.receive('WAKE_UP_QUEUE_URL')).toEqual([{ chatId: sessionId }]);
    expect(
      (await stage.call('chats/messages', as(stage.me, stage.here({ sessionId })))).body.messages,
    ).toMatchObject([
      {
        id: messageId,
        role: 'user',
        content: 'Fix it',
        delivery: { deliveryId, state: 'queued', reason: null },
      },
    ]);
    expect(await stage.call('chats/deliveries', as(stage.me, stage.here({ sessionId })))).toMatchObject({
      body: { deliveries: [{ id: deliveryId, messageId, state: 'queued', attempts: 0 }] },
    });
    // The node reports it too, with what came after.
    await stage.report([
      conversationMessage(sessionId, 1, { role: 'user', messageId: String(messageId) }),
      conversationMessage(sessionId, 2),
    ]);
    expect(await stage.contents(sessionId)).toEqual(['Fix it', 'piece 2']);
  });

  it('is one, however often it is sent with one key or one id', async () => {
    const { sessionId } = await stage.agentSession({ agentType: 'claude-code' });

    const byKey = await Promise.all(
      Array.from({ length: 10 }, () => stage.invokes.get('chats/prompt')?.(promptRequest(sessionId))),
    );
    const byId = [
      await prompt(sessionId, { content: 'Again', messageId: 'mine-1' }),
      await prompt(sessionId, { content: 'Again', messageId: 'mine-1' }),
    ];

    expect(new Set(byKey.map((reply) => JSON.stringify(reply?.body))).size).toBe(1);
    expect(byId[1]?.body).toEqual(byId[0]?.body);
    expect(await stage.contents(sessionId)).toEqual(['Once', 'Again']);
    expect(await prompt(sessionId, { content: 'Other', messageId: 'mine-1' })).toMatchObject({
      status: 409,
      body: { error: 'DELIVERY_CONFLICT' },
    });
  });

  const promptRequest = (sessionId: string) =>
    as(stage.me, {
      ...stage.here({ sessionId }),
      body: { content: 'Once' },
      headers: { 'idempotency-key': 'k-1' },
    });

  it('is taken up to its greatest length, and not a character more', async () => {
    const { sessionId } = await stage.agentSession({ agentType: 'claude-code' });
    const most = '世'.repeat(32_768);

    expect(await prompt(sessionId, { content: most })).toMatchObject({ status: 202 });
    for (const content of [`${most}x`, '', ' \n', 'broken \ud800'])
      expect(await prompt(sessionId, { content })).toMatchObject({
        status: 400,
        body: { details: [{ field: 'body.content' }] },
      });
    expect(await stage.contents(sessionId)).toEqual([most]);
  });

  it('comes from who began the session alone, and goes to an agent', async () => {
    const { sessionId } = await stage.agentSession();
    const other = await signIn(stage.table);
    await stage.join(other, 'owner');
    const viewer = await signIn(stage.table);
    await stage.join(viewer, 'viewer');
    const begun = await stage.call('chats/create', as(stage.me, { ...stage.here(), body: {} }));

    for (const who of [other, viewer]) {
      expect(await prompt(sessionId, { content: 'x' }, { who })).toMatchObject({ status: 403 });
      expect(await stage.call('chats/cancel', as(who, stage.here({ sessionId })))).toMatchObject({
        status: 403,
      });
    }
    expect(await prompt(begun.body.id, { content: 'x' })).toMatchObject({
      status: 409,
      body: { error: 'SESSION_HAS_NO_AGENT' },
    });
    expect(await stage.contents(sessionId)).toEqual([]);
  });

  it('is rung for when the agent becomes idle and something waits', async () => {
    const { sessionId, agentSessionId } = await stage.agentSession({ agentType: 'claude-code' });
    const report = (activity: string) => stage.reportActivity(agentSessionId, { activity });
    const receivedHere = async () =>
      (await stage.wakeUpQueues.receive('WAKE_UP_QUEUE_URL')).filter(
        (wakeUp) => Object(wakeUp).chatId === sessionId,
      );

    await report('idle');
    expect(await receivedHere()).toEqual([]);
    await prompt(sessionId, { content: 'x' });
    expect(await receivedHere()).toHaveLength(1);
    await report('prompting');
    expect(await receivedHere()).toEqual([]);
    await report('idle');
    expect(await receivedHere()).toHaveLength(1);
  });

  it('that shuts its agent down has the idle agent rung for, whatever waits', async () => {
    const { sessionId, agentSessionId } = await stage.agentSession({ agentType: 'claude-code' });
    const chat = await readChat(stage.table, sessionId);
    await putItem(stage.table, chatItem({ ...chat, shutdownId: chat.chatId }));

    await stage.reportActivity(agentSessionId, { activity: 'idle' });

    expect(await stage.wakeUpQueues.receive('WAKE_UP_QUEUE_URL')).toContainEqual({ chatId: sessionId });
    expect(
      await stage.call(
        'chats/prompt',
        as(stage.me, { ...stage.here({ sessionId }), body: { content: 'x' } }),
      ),
    ).toMatchObject({ status: 409, body: { error: 'SESSION_SHUTTING_DOWN' } });
  });

  it('is taken no more once the session has been stopped, which a repeat does not change', async () => {
    const { sessionId, agentSessionId } = await stage.agentSession();
    const stop = (who = stage.me) => stage.call('chats/stop', as(who, stage.here({ sessionId })));
    const other = await signIn(stage.table);
    await stage.join(other, 'owner');

    expect(await stop(other)).toMatchObject({ status: 403 });
    for (const _ of ['once', 'again'])
      expect(await stop()).toMatchObject({
        status: 200,
        body: { status: 'stopped', workspaceDeleted: false },
      });

    expect(stage.node.seen.filter((seen) => seen.endsWith(`${agentSessionId}/stop`))).toHaveLength(1);
    expect(await prompt(sessionId, { content: 'x' })).toMatchObject({
      status: 409,
      body: { error: 'SESSION_ENDED' },
    });
  });

  it('is cancelled with the turn that it began, and what does not run is idle', async () => {
    const { sessionId } = await stage.agentSession();
    stage.node.onRequest = async ({ path }) =>
      path.endsWith('/cancel')
        ? { status: 200, body: { status: 'cancelled', message: 'Being cancelled' } }
        : undefined;
    const cancel = () => stage.call('chats/cancel', as(stage.me, stage.here({ sessionId })));

    expect(await cancel()).toMatchObject({ status: 200, body: { status: 'cancelled' } });
    stage.node.onRequest = async () => ({ status: 409, body: { status: 'idle', message: 'Nothing' } });
    expect(await cancel()).toMatchObject({ status: 200, body: { status: 'idle' } });
  });
});
