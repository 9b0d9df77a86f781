import { describe, expect, it } from 'vitest';
import { newId } from '../../../lambdas/shared/ids.js';
import { conversationMessage } from '../../support/conversation-message.js';
import { placedWorkspace } from '../../support/records.js';
import { as, chatStage } from './chat-stage.js';

const stage = await chatStage();

describe('messages of a node', () => {
  it('are stored once and in order when they are sent again, overlapping or as a whole', async () => {
    const { sessionId } = await stage.agentSession();

    expect(await stage.report([1, 2, 3].map((at) => conversationMessage(sessionId, at)))).toMatchObject({
      body: { persisted: 3, duplicates: 0 },
    });
    expect(await stage.report([1, 2, 3].map((at) => conversationMessage(sessionId, at)))).toMatchObject({
      body: { persisted: 0, duplicates: 3 },
    });
    expect(await stage.report([2, 3, 4].map((at) => conversationMessage(sessionId, at)))).toMatchObject({
      body: { persisted: 1, duplicates: 2 },
    });

    expect(await stage.contents(sessionId)).toEqual(['piece 1', 'piece 2', 'piece 3', 'piece 4']);
    expect(await stage.contents(sessionId, { compact: 'true' })).toEqual(['piece 1 piece 2 piece 3 piece 4']);
  });

  it('are stored once when the same batch comes many times at once', async () => {
    const { sessionId } = await stage.agentSession();
    const batch = Array.from({ length: 20 }, (_, index) => conversationMessage(sessionId, index + 1));
    const { workspaceId } = stage.workspace;
    const request = {
      params: { workspaceId },
      ...(await stage.bearer()),
      body: { generation: 1, messages: batch },
    };

    const replies = await Promise.all(
      Array.from({ length: 6 }, () => stage.invokes.get('callbacks/messages')?.(request)),
    );

    for (const reply of replies) expect([200, 503]).toContain(reply?.status);
    await stage.report(batch);
    expect(await stage.contents(sessionId, { limit: '100' })).toHaveLength(20);
  });

  it('come a hundred at a time, people’s among them', async () => {
    const { sessionId } = await stage.agentSession();
    const batch = Array.from({ length: 100 }, (_, index) =>
      conversationMessage(sessionId, index + 1, index % 2 === 0 ? { role: 'user', origin: 'user' } : {}),
    );

    expect(await stage.report(batch)).toMatchObject({ status: 200, body: { persisted: 100 } });
    expect(await stage.report(batch)).toMatchObject({ status: 200, body: { persisted: 0, duplicates: 100 } });

    expect(await stage.contents(sessionId, { limit: '100', roles: 'user' })).toHaveLength(50);
  });

  it('of people are known by their ids, however many there are, also to another counting', async () => {
    const { sessionId } = await stage.agentSession();
    const ids = Array.from({ length: 60 }, () => newId());
    const batch = ids.map((messageId, index) =>
      conversationMessage(sessionId, index + 1, { role: 'user', messageId }),
    );

    expect(await stage.report(batch)).toMatchObject({ status: 200, body: { persisted: 60 } });
    const elsewhere = { streamId: 'another' };
    expect(await stage.report(batch, elsewhere)).toMatchObject({ body: { persisted: 0, duplicates: 60 } });

    expect(await stage.contents(sessionId, { limit: '100' })).toHaveLength(60);
  });

  it('are refused of another session, another generation, another workspace, and after its end', async () => {
    const { sessionId } = await stage.agentSession();
    const { sessionId: other } = await stage.agentSession();
    const { workspace: foreign } = await placedWorkspace(
      stage.table,
      { userId: stage.me.userId, status: 'running' },
      stage.node.place,
    );

    expect(
      await stage.report([conversationMessage(sessionId, 1), conversationMessage(other, 2)]),
    ).toMatchObject({ status: 400 });
    expect(await stage.report([conversationMessage(sessionId, 1)], { generation: 2 })).toMatchObject({
      status: 400,
    });
    expect(await stage.report([conversationMessage(sessionId, 1)], { as: foreign })).toMatchObject({
      status: 409,
      body: { error: 'NOT_LINKED' },
    });
    expect(
      await stage.report([conversationMessage(sessionId, 1)], {
        generation: 2,
        as: { ...stage.workspace, generation: 2 },
      }),
    ).toMatchObject({
      status: 410,
    });
    expect(await stage.report([conversationMessage('01K0000000000000000000000C', 1)])).toMatchObject({
      status: 404,
    });
    expect(await stage.contents(sessionId)).toEqual([]);
  });

  it('are taken up to the limit of their length, and not a byte more', async () => {
    const { sessionId } = await stage.agentSession();
    // Two bytes each.
    const most = 'ü'.repeat(51_200);

    expect(await stage.report([conversationMessage(sessionId, 1, { content: most })])).toMatchObject({
      status: 200,
    });
    expect(await stage.report([conversationMessage(sessionId, 2, { content: `${most}x` })])).toMatchObject({
      status: 400,
      body: { details: [{ field: 'body.messages.0.content' }] },
    });
    expect(await stage.contents(sessionId)).toEqual([most]);
  });

  it('keep every character', async () => {
    const { sessionId } = await stage.agentSession();
    const odd = '\u0000\u001b[31m 👩‍👩‍👧 \ufeff "quotes" \\ \u2028';

    await stage.report([conversationMessage(sessionId, 1, { content: odd })]);

    const page = await stage.call('chats/messages', as(stage.me, stage.here({ sessionId })));
    expect(page.body.messages).toMatchObject([{ content: odd }]);
  });

  it('show the output of a tool only on request', async () => {
    const { sessionId } = await stage.agentSession();
    const toolMetadata = { toolCallId: 't1', title: 'read', content: [{ type: 'content', text: 'LONG' }] };
    await stage.report([
      conversationMessage(sessionId, 1, { role: 'tool', toolMetadata }),
      conversationMessage(sessionId, 2),
    ]);

    const page = await stage.call('chats/messages', as(stage.me, stage.here({ sessionId })));
    expect(page.body.messages).toMatchObject([
      { hasToolContent: true, toolMetadata: { toolCallId: 't1', title: 'read' } },
      { hasToolContent: false, toolMetadata: null },
    ]);
    expect(JSON.stringify(page.body)).not.toContain('LONG');
    expect(
      await stage.call('chats/tool-content', as(stage.me, stage.here({ sessionId, sequence: '1' }))),
    ).toMatchObject({
      body: { content: [{ text: 'LONG' }] },
    });
    expect(
      await stage.call('chats/tool-content', as(stage.me, stage.here({ sessionId, sequence: '2' }))),
    ).toMatchObject({
      status: 404,
    });
  });
});
