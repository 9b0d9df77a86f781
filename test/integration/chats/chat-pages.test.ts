import { describe, expect, it } from 'vitest';
import { chatItem, newChat } from '../../../lambdas/domain/chats/chat.js';
import { projectItem } from '../../../lambdas/domain/projects/project.js';
import { newTask, taskItem } from '../../../lambdas/domain/tasks/task.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { conversationMessage } from '../../support/conversation-message.js';
import { aProject, putItem } from '../../support/project.js';
import { placedWorkspace } from '../../support/records.js';
import { type SignedIn, signIn } from '../../support/sign-in.js';
import { as, chatStage } from './chat-stage.js';

const stage = await chatStage();

describe('pages', () => {
  it('go through all messages in both directions while messages arrive', async () => {
    const { sessionId } = await stage.agentSession();
    await stage.report(Array.from({ length: 25 }, (_, index) => conversationMessage(sessionId, index + 1)));
    const walk = async (order: string) => {
      const sequences: number[] = [];
      let cursor: string | null = null;
      do {
        const query: Record<string, string> = {
          limit: '10',
          order,
          before: '26',
          ...(cursor ? { cursor } : {}),
        };
        const page = await stage.call(
          'chats/messages',
          as(stage.me, { ...stage.here({ sessionId }), query }),
        );
        sequences.push(...page.body.messages.map(({ sequence }) => sequence));
        cursor = page.body.nextCursor;
        await stage.report([conversationMessage(sessionId, 26), conversationMessage(sessionId, 27)]);
      } while (cursor);
      return sequences;
    };

    const expected = Array.from({ length: 25 }, (_, index) => index + 1);
    expect(await walk('asc')).toEqual(expected);
    expect(await walk('desc')).toEqual([...expected].reverse());
  });

  it('begin after what a client has', async () => {
    const { sessionId } = await stage.agentSession();
    await stage.report(Array.from({ length: 5 }, (_, index) => conversationMessage(sessionId, index + 1)));

    expect(await stage.contents(sessionId, { after: '3' })).toEqual(['piece 4', 'piece 5']);
    expect(await stage.contents(sessionId, { after: '5' })).toEqual([]);
    expect(await stage.contents(sessionId, { after: '3', before: '4' })).toEqual([]);
  });

  it('of sessions show a person their own, and members all', async () => {
    const { sessionId } = await stage.agentSession();
    const viewer = await signIn(stage.table);
    await stage.join(viewer, 'viewer');
    const ids = async (who: SignedIn, query: Record<string, string> = {}) => {
      const page = await stage.call('chats/list', as(who, { ...stage.here(), query }));
      return page.body.sessions.map(({ id }) => id);
    };

    expect(await ids(viewer)).toEqual([sessionId]);
    expect(await ids(viewer, { scope: 'my' })).toEqual([]);
    expect(await ids(stage.me, { scope: 'my', status: 'active' })).toEqual([sessionId]);
    expect(await ids(stage.me, { status: 'stopped' })).toEqual([]);
  });

  it('never show a session of another project', async () => {
    const { sessionId } = await stage.agentSession();
    const mine = stage.project;
    stage.project = aProject({ userId: stage.me.userId });
    await putItem(stage.table, projectItem(stage.project));
    await stage.join(stage.me, 'owner');

    for (const file of ['chats/get', 'chats/messages', 'chats/state'])
      expect(await stage.call(file, as(stage.me, stage.here({ sessionId })))).toMatchObject({ status: 404 });
    stage.project = mine;
    expect(await stage.call('chats/get', as(stage.me, stage.here({ sessionId })))).toMatchObject({
      status: 200,
    });
  });
});

it('a chat shows where its task is and what came of it', async () => {
  const { projectId } = stage.project;
  const [chatId, at] = [newId(), new Date()];
  const { userId } = stage.me;
  const draft = { taskId: chatId, projectId, userId, title: 'Fix it', outputBranch: 'svc/fix-it' };
  const ended = { status: 'completed', executionStep: 'running', outputSummary: 'Fixed' } as const;
  await putItem(stage.table, taskItem(newTask({ ...draft, ...ended }, at)));
  const chat = { chatId, projectId, userId, workspaceId: null, topic: 'Fix it', taskId: chatId };
  await putItem(stage.table, chatItem(newChat(chat, at)));
  const { sessionId } = await stage.agentSession();
  const shown = async (id: string) =>
    (await stage.call('chats/get', as(stage.me, stage.here({ sessionId: id })))).body;

  expect(await shown(chatId)).toMatchObject({
    session: {
      agentType: null,
      task: { id: chatId, ...ended, outputBranch: 'svc/fix-it', errorMessage: null, taskMode: 'task' },
    },
  });
  expect(await shown(sessionId)).toMatchObject({ session: { task: null } });
});

it('a chat is begun without an agent, and only with a workspace of this project', async () => {
  const { workspaceId } = stage.workspace;
  const { workspace: elsewhere } = await placedWorkspace(
    stage.table,
    { userId: stage.me.userId, status: 'running' },
    stage.node.place,
  );
  const begin = (body: object) => stage.call('chats/create', as(stage.me, { ...stage.here(), body }));

  expect(await begin({ topic: 'Think' })).toMatchObject({
    status: 201,
    body: { topic: 'Think', workspaceId: null },
  });
  expect(await begin({ workspaceId })).toMatchObject({ status: 201, body: { workspaceId } });
  expect(await begin({ workspaceId: elsewhere.workspaceId })).toMatchObject({ status: 404 });
  expect(await begin({ topic: 'Think\ntwice' })).toMatchObject({ status: 400 });
});
