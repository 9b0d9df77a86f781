import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { highWaterBytes } from '../../../protocol/terminal.js';
import { rolesHere, StartedWorkspaces } from './started-workspaces.js';
import { TerminalClient } from './terminal-client.js';

const waiting = { timeout: 15_000, interval: 20 };

describe.each(rolesHere)('terminals as %s', (role) => {
  let started: StartedWorkspaces;

  beforeAll(async () => {
    started = await StartedWorkspaces.start(role);
  });
  afterAll(() => started[Symbol.asyncDispose]());

  const connect = async () =>
    TerminalClient.open(started.agent, await started.fake.terminal(started.workspaceId));
  const open = async (sessionId: string, data: object = {}) => {
    const client = await connect();
    client.send({ type: 'create_session', sessionId, data });
    await client.waitFor('session_created');
    return client;
  };

  it('start in a named worktree, and in no other folder', async () => {
    const { agent, fake, workspaceId } = started;
    const path = `/workspaces/${workspaceId}/worktrees`;
    const made = await agent.call('POST', path, await fake.terminal(workspaceId), {
      branch: 'side',
      createBranch: true,
    });
    expect(made.status).toBe(201);

    const client = await open('side', { worktree: made.body.path });
    expect(await client.waitFor('session_created')).toMatchObject({
      data: { workingDirectory: made.body.path },
    });
    client.type('side', 'echo "[$PWD]" on $(git branch --show-current)\n');
    await client.waitForText(/\[\/\S+-wt-side\] on side/);

    for (const [worktree, error] of [
      ['/etc', 'Worktree not found in the workspace'],
      [`${made.body.path}/../..`, 'Worktree not found in the workspace'],
      ['', 'invalid message'],
    ]) {
      const refused = await connect();
      refused.send({ type: 'create_session', sessionId: 'elsewhere', data: { worktree } });
      expect(await refused.waitFor('error')).toMatchObject({ data: { error } });
      refused.socket.close();
    }
    client.socket.close();
  });

  it('report a new name to all viewers and to the requester', async () => {
    const viewer = await open('named');
    const asker = await connect();

    asker.send({ type: 'rename_session', sessionId: 'named', data: { name: 'tests' } });

    const reported = { sessionId: 'named', data: { name: 'tests' } };
    expect(await viewer.waitFor('session_renamed')).toMatchObject(reported);
    expect(await asker.waitFor('session_renamed')).toMatchObject(reported);
    for (const client of [viewer, asker]) client.socket.close();
  });

  it('run as the user of the workspace', async () => {
    const client = await open('who');
    client.type('who', 'echo "user:$(id -u)" "owner:$(stat -c %u .)"\n');
    const [, user, owner] = await client.waitForText(/user:(\d+) owner:(\d+)/);
    expect(user).toBe(owner);
    client.socket.close();
  });

  it('report the exit of their shell', async () => {
    const client = await open('killed', { name: 'first' });
    client.type('killed', 'kill -KILL $$\n');
    const closed = await client.waitFor('session_closed');
    // An engine reports a signal only by the code of a shell: 128 and the signal.
    const end = role === 'standalone' ? { exitCode: null, signal: 9 } : { exitCode: 137, signal: null };
    expect(closed).toMatchObject({ data: { reason: 'process_exit', ...end } });

    client.send({ type: 'list_sessions' });
    const list = await client.waitFor('session_list');
    if (list.type !== 'session_list') throw new Error('no list');
    expect(list.data.sessions.find(({ sessionId }) => sessionId === 'killed')).toMatchObject({
      name: 'first',
      status: 'exited',
      ...end,
    });
    client.socket.close();
  });

  it('end alone, also beside terminals with similar ids', async () => {
    const ends = ['one', 'a.b'];
    const stays = ['one-more', 'one.more', 'a-b'];
    const client = await open('one');
    for (const sessionId of [...stays, 'a.b']) client.send({ type: 'create_session', sessionId });
    const count = (type: string) => client.messages.filter((message) => message.type === type).length;
    await vi.waitFor(() => expect(count('session_created')).toBe(ends.length + stays.length), waiting);
    for (const sessionId of ends) client.send({ type: 'close_session', sessionId });
    await vi.waitFor(() => expect(count('session_closed')).toBe(ends.length), waiting);

    // The output of one comes after its input.
    (await open('afterwards')).socket.close();
    for (const sessionId of stays) client.type(sessionId, `echo HERE"-"${sessionId}\n`);
    for (const sessionId of stays) await client.waitForText(new RegExp(`HERE-${sessionId}\\r`));
    expect(count('session_closed')).toBe(ends.length);
    client.socket.close();
  });

  it('send their output and then their end to a slow viewer when another viewer closes them', async () => {
    const slow = await open('closed');
    slow.isAcknowledging = false;
    slow.send({ type: 'ack', sessionId: 'closed', data: { offset: 0 } });
    slow.type('closed', 'yes\n');
    await vi.waitFor(() => expect(slow.text.length).toBeGreaterThan(highWaterBytes), waiting);
    const other = await connect();
    other.send({ type: 'close_session', sessionId: 'closed' });
    await other.waitFor('session_closed');
    expect(slow.messages.map(({ type }) => type)).not.toContain('session_closed');

    slow.isAcknowledging = true;
    slow.send({ type: 'ack', sessionId: 'closed', data: { offset: slow.offset } });
    expect(await slow.waitFor('session_closed')).toMatchObject({ data: { reason: 'user_requested' } });
    // While it was being ended it may have written more than is kept for who is behind.
    expect(slow.gaps).toBe(slow.messages.filter(({ type }) => type === 'session_reattached').length);
    for (const client of [slow, other]) client.socket.close();
  });

  it('continue for one viewer when another is slow, and report what that one lost', async () => {
    const fast = await open('shared');
    const slow = await connect();
    slow.send({ type: 'reattach_session', sessionId: 'shared', data: { offset: 0 } });
    await slow.waitFor('session_reattached');
    slow.isAcknowledging = false;
    slow.send({ type: 'ack', sessionId: 'shared', data: { offset: 0 } });
    fast.type('shared', 'stty -echo; seq 1 400000; echo EN"D"\n');
    await fast.waitForText(/END/, 40_000);
    expect(fast.gaps).toBe(0);
    // What fits the window, and the frame that fills it.
    expect(slow.text.length).toBeLessThanOrEqual(highWaterBytes + 65_536);

    slow.isAcknowledging = true;
    slow.send({ type: 'ack', sessionId: 'shared', data: { offset: slow.offset } });
    await slow.waitForText(/END/);
    const reported = slow.messages.filter(({ type }) => type === 'session_reattached');
    const lost = reported.map((message) => (message.type === 'session_reattached' ? message.data.lost : 0));
    expect(lost.reduce((sum, bytes) => sum + bytes)).toBe((slow.offset ?? 0) - slow.text.length);
    fast.socket.close();
    slow.socket.close();
  });

  it('end after the grace period without viewers, and not before', async () => {
    const graced = await StartedWorkspaces.start(role, 1, { PTY_ORPHAN_GRACE_PERIOD: '400ms' });
    await using _ = graced;
    const token = await graced.fake.terminal(graced.workspaceId);
    const left = await TerminalClient.open(graced.agent, token);
    const kept = await TerminalClient.open(graced.agent, token);
    left.send({ type: 'create_session', sessionId: 'left' });
    kept.send({ type: 'create_session', sessionId: 'kept' });
    await left.waitFor('session_created');
    await kept.waitFor('session_created');
    left.socket.terminate();

    await vi.waitFor(async () => {
      kept.messages.length = 0;
      kept.send({ type: 'list_sessions' });
      const list = await kept.waitFor('session_list');
      if (list.type !== 'session_list') throw new Error('no list');
      expect(list.data.sessions.map(({ sessionId }) => sessionId)).toEqual(['kept']);
    }, waiting);
    kept.socket.close();
  });
});
