import { beforeAll, describe, expect, it } from 'vitest';
import { findAgentSession } from '../../../lambdas/domain/agent-sessions/find-sessions.js';
import { changeChat } from '../../../lambdas/domain/chats/change-chat.js';
import type { ChatActivity } from '../../../lambdas/domain/chats/chat.js';
import { findNode } from '../../../lambdas/domain/nodes/find-node.js';
import { acceptPrompt } from '../../../lambdas/domain/prompts/accept-prompt.js';
import { archiveSleeping } from '../../../lambdas/domain/snapshots/archive-sleeping.js';
import { findTask } from '../../../lambdas/domain/tasks/load-task.js';
import { endLostSessions } from '../../../lambdas/domain/tasks/workspace-loss.js';
import { claimDeletion } from '../../../lambdas/domain/workspaces/claim-deletion.js';
import { claimStop } from '../../../lambdas/domain/workspaces/stopping.js';
import { slotOf } from '../../../lambdas/domain/workspaces/workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { putTask } from '../../support/put-task.js';
import { testObjects } from '../../support/uploads.js';
import { aPrompt, messagesOf, readChat } from '../prompts/a-chat.js';
import type { Sleeper } from '../workspaces/sleep-stage.js';
import { EvictionStage, outOfMemory } from './eviction-stage.js';

let stage: EvictionStage;

beforeAll(async () => {
  stage = await EvictionStage.start();
});

const state = async (sleeper: Sleeper) => [
  await stage.row(sleeper),
  await stage.record(sleeper),
  await stage.chat(sleeper),
];

const session = ({ workspace, agentSessionId }: Sleeper) =>
  findAgentSession(stage.table, workspace.workspaceId, agentSessionId);

const activity = (state: ChatActivity['activity'], at = new Date()): ChatActivity => ({
  ...{ activity: state, activityAt: at.toISOString(), promptStartedAt: null },
  ...{ agentType: 'claude-code', restartCount: 0, statusError: null },
});

const setActivity = (sleeper: Sleeper, value: ChatActivity) =>
  changeChat(stage.table, sleeper.chatId, { set: { activity: value }, now: new Date() });

describe('the report of an eviction', () => {
  it('moves workspace and chat, says why, and frees the place, in one transaction', async () => {
    const sleeper = await stage.running();
    const { workspaceId, generation, nodeId, evictionGeneration } = sleeper.workspace;
    await stage.captured(sleeper);

    expect((await stage.report(sleeper, outOfMemory)).status).toBe(204);

    const row = await stage.row(sleeper);
    const text = expect.stringContaining('at 4.0 of 4.0 GiB; largest process: node 3.1 GiB');
    const endedBecause = { kind: 'evicted_oom', text };
    expect(row).toMatchObject({
      ...{ status: 'evicted', generation, nodeId, endedBecause },
      asleep: { generation },
      eviction: { generation, evictionGeneration, nodeId, reason: 'oom_kill' },
    });
    expect([row.sleep, row.recovery, row.waitingStep]).toEqual([undefined, undefined, undefined]);
    expect(await stage.chat(sleeper)).toMatchObject({ status: 'sleeping', endedBecause });
    expect(await session(sleeper)).toMatchObject({ status: 'running', endedBecause });
    const node = await findNode(stage.table, nodeId ?? '');
    expect(node?.slots?.has(slotOf({ workspaceId, generation })) ?? false).toBe(false);
    expect(node?.retiredAt).toBeUndefined();
  });

  it('changes nothing when it is repeated, also many times at once', async () => {
    const sleeper = await stage.running();
    await setActivity(sleeper, activity('prompting'));
    await stage.captured(sleeper);

    const first = await Promise.all([1, 2, 3, 4].map(() => stage.report(sleeper, { workInFlight: true })));
    const before = await state(sleeper);
    const repeat = await stage.report(sleeper, { workInFlight: true, reason: 'oom_kill' });

    expect([...first, repeat].map(({ status }) => status)).toEqual([204, 204, 204, 204, 204]);
    expect(await state(sleeper)).toEqual(before);
    expect(await messagesOf(stage.table, sleeper.chatId)).toHaveLength(1);
  });

  it.each([
    ['before its container is stopped', { containerStopped: false }, 409, 'CONTAINER_NOT_STOPPED'],
    ['without a snapshot', { snapshotCaptured: false }, 409, 'SNAPSHOT_NOT_VERIFIED'],
    ['of an earlier container', { evictionGeneration: newId() }, 410, 'GONE'],
    ['of another node', { nodeId: newId() }, 403, 'NODE_CALLBACK_FORBIDDEN'],
    ['of another workspace', { workspaceId: newId() }, 403, 'NODE_CALLBACK_FORBIDDEN'],
  ])('%s is refused and changes nothing', async (_, change, status, code) => {
    const sleeper = await stage.running();
    await stage.captured(sleeper);
    const before = await state(sleeper);

    const reply = await stage.report(sleeper, change);

    expect([reply.status, reply.body.error]).toEqual([status, code]);
    expect(await state(sleeper)).toEqual(before);
    expect((await stage.report(sleeper, {}, newId())).status).toBe(404);
    expect((await stage.report(sleeper)).status).toBe(204);
  });

  it('of a workspace whose capture was not verified is refused', async () => {
    const sleeper = await stage.running();
    await stage.uploaded(sleeper);
    const before = await state(sleeper);

    expect((await stage.report(sleeper)).body.error).toBe('SNAPSHOT_NOT_VERIFIED');

    expect(await state(sleeper)).toEqual(before);
  });

  it('of a sleep on an earlier snapshot is refused', async () => {
    const sleeper = await stage.running();
    await stage.sleeping.captured(sleeper, await stage.sleeping.claim(sleeper));

    expect((await stage.report(sleeper)).body.error).toBe('SNAPSHOT_NOT_VERIFIED');
  });

  it('counts when its claim has ended since: the container is stopped', async () => {
    const sleeper = await stage.running();
    await stage.captured(sleeper);
    await stage.change(sleeper, { sleep: null as never });

    expect((await stage.report(sleeper)).status).toBe(204);
    expect((await stage.row(sleeper)).status).toBe('evicted');
  });

  it.each(['stopped', 'sleeping', 'errored'] as const)(
    'of a %s workspace is refused permanently',
    async (status) => {
      const sleeper = await stage.running();
      await stage.captured(sleeper);
      await stage.change(sleeper, { status });

      expect((await stage.report(sleeper)).status).toBe(410);
      expect((await stage.row(sleeper)).status).toBe(status);
    },
  );

  it('of an earlier start is refused permanently, and of a rebuild is to be repeated', async () => {
    const sleeper = await stage.running();
    await stage.captured(sleeper);
    await stage.change(sleeper, { status: 'rebuilding' });
    expect((await stage.report(sleeper)).status).toBe(409);

    await stage.change(sleeper, { status: 'running', generation: 2 });
    expect((await stage.report(sleeper)).status).toBe(410);
    expect((await stage.row(sleeper)).status).toBe('running');
  });

  it('races with a deletion and a stop, and one of them wins whole', async () => {
    for (const isStop of [true, false]) {
      const sleeper = await stage.running();
      await stage.captured(sleeper);
      const { workspaceId, userId } = sleeper.workspace;
      const now = new Date();

      const [report] = await Promise.all([
        stage.report(sleeper),
        isStop
          ? claimStop(stage.table, { workspaceId, userId, now })
          : claimDeletion(stage.table, await stage.row(sleeper), now).catch(() => undefined),
      ]);

      const row = await stage.row(sleeper);
      expect([204, 410]).toContain(report.status);
      expect(['stopping', 'evicted']).toContain(row.status);
      if (report.status === 410) expect((await stage.chat(sleeper)).status).toBe('active');
    }
  });

  it('keeps its agents when the end of lost sessions looks, and ends them with a stop', async () => {
    const sleeper = await stage.running();
    await stage.evicted(sleeper);
    const { workspaceId, userId } = sleeper.workspace;
    const deps = {
      ...{ table: stage.table, now: new Date(), wake: async () => {} },
      log: { debug() {}, info() {}, warn() {}, error() {} },
    } as unknown as Parameters<typeof endLostSessions>[0];

    await endLostSessions(deps, workspaceId);
    expect(await session(sleeper)).toMatchObject({ status: 'running' });
    await claimStop(stage.table, { workspaceId, userId, now: new Date() });
    await endLostSessions(deps, workspaceId);

    expect(await session(sleeper)).toMatchObject({ status: 'suspended' });
    expect(await stage.chat(sleeper)).toMatchObject({ status: 'stopped', endReason: 'workspace_stopped' });
    expect((await stage.row(sleeper)).eviction).toBeUndefined();
  });

  it('keeps its snapshot for seven days, and then archives it', async () => {
    const sleeper = await stage.running();
    await stage.evicted(sleeper);
    const { workspaceId } = sleeper.workspace;
    const expiresAt = (await stage.row(sleeper)).asleep?.snapshotExpiresAt ?? '';
    // The object store compares the time of a signature with its own clock.
    const store = { objects: testObjects(), now: new Date() };

    expect(await archiveSleeping(stage.table, { workspaceId, expiresAt }, store)).toBe(true);
    expect(await stage.row(sleeper)).toMatchObject({ status: 'stopping', deletion: { isExpired: true } });
  });

  it.each(['conversation', 'task'] as const)('says it on the %s of the workspace', async (taskMode) => {
    const sleeper = await stage.running();
    const status = 'in_progress';
    const { projectId, taskId } = await putTask(stage.table, await stage.chat(sleeper), { taskMode, status });
    await stage.evicted(sleeper);

    expect(await findTask(stage.table, projectId, taskId)).toMatchObject({
      status: taskMode === 'conversation' ? 'sleeping' : 'in_progress',
      endedBecause: { kind: 'evicted_memory' },
    });
  });
});

describe('work that an eviction interrupted', () => {
  const continuations = async ({ chatId }: Sleeper) =>
    (await messagesOf(stage.table, chatId)).filter(({ content }) => content.includes('eviction'));

  it('is continued once when an agent worked', async () => {
    const sleeper = await stage.running();
    await setActivity(sleeper, activity('prompting'));
    await stage.evicted(sleeper, { workInFlight: true });

    const [message, ...others] = await continuations(sleeper);
    expect(others).toEqual([]);
    expect(message).toMatchObject({ role: 'user', origin: 'system', delivery: { state: 'queued' } });
    expect(message?.content).toContain(sleeper.workspace.evictionGeneration);
    const chat = await stage.chat(sleeper);
    expect([chat.queuedPrompts, chat.activity]).toEqual([1, null]);
    expect((await stage.row(sleeper)).recovery).toBeUndefined();
  });

  it('is continued when a prompt has no receipt of its end', async () => {
    const sleeper = await stage.running();
    await changeChat(stage.table, sleeper.chatId, { set: { unconfirmedId: newId() }, now: new Date() });
    await stage.evicted(sleeper);

    expect(await continuations(sleeper)).toHaveLength(1);
  });

  it('is that of the oldest chat when only the node knows of it', async () => {
    const sleeper = await stage.running();
    await setActivity(sleeper, activity('idle'));
    await stage.evicted(sleeper, { workInFlight: true });

    expect(await continuations(sleeper)).toHaveLength(1);
  });

  it('is none when the agent had returned to its person', async () => {
    const idle = await stage.running();
    await setActivity(idle, activity('idle'));
    await changeChat(stage.table, idle.chatId, { set: { unconfirmedId: newId() }, now: new Date() });
    await stage.evicted(idle, { workInFlight: false });
    const late = await stage.running();
    await setActivity(late, activity('prompting'));
    await stage.evicted(late, { workInFlight: false });

    expect([await continuations(idle), await continuations(late)]).toEqual([[], []]);
  });

  it('is not continued twice beside a message that waited', async () => {
    const sleeper = await stage.running();
    const chat = await readChat(stage.table, sleeper.chatId);
    await acceptPrompt(stage.table, aPrompt(), { chat, now: new Date() });
    await stage.evicted(sleeper);

    expect(await continuations(sleeper)).toEqual([]);
    expect((await stage.chat(sleeper)).queuedPrompts).toBe(1);
  });
});
