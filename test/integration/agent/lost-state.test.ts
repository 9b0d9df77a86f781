import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../support/until.js';
import { docker } from './docker-engine.js';
import { rolesHere, StartedWorkspaces } from './started-workspaces.js';
import { workspaceRequest } from './workspace-request.js';

describe.each(rolesHere)('an agent without its records, as %s', (role) => {
  let started: StartedWorkspaces;

  beforeEach(async () => {
    started = await StartedWorkspaces.start(role);
    started.shell('echo kept > kept.txt');
  });

  afterEach(() => started[Symbol.asyncDispose]());

  const lose = async (text: string | null, environment: Readonly<Record<string, string>> = {}) => {
    const path = join(started.agent.folder, 'state', 'state.db');
    await started.agent.kill('SIGKILL');
    for (const file of [path, `${path}-wal`, `${path}-shm`]) rmSync(file, { force: true });
    if (text !== null) writeFileSync(path, text);
    await started.agent.start(environment);
  };

  const create = async (generation: number) => {
    const { fake, agent, workspaceId } = started;
    const callbackToken = await fake.workspaceCallback(workspaceId, generation);
    const body = await workspaceRequest(fake, workspaceId, { generation, callbackToken });
    return agent.call('POST', '/workspaces', await fake.management(workspaceId), body);
  };

  const eventTypes = async () => {
    const { body } = await started.agent.call('GET', '/events', await started.fake.management());
    return (body.events as { type: string }[]).map(({ type }) => type);
  };

  const remains = () =>
    role === 'workspace'
      ? docker('ps', '-aq', '--filter', `label=svc.workspace=${started.workspaceId}`) +
        docker('volume', 'ls', '-q', '--filter', `label=svc.workspace=${started.workspaceId}`)
      : existsSync(join(started.agent.folder, 'workspaces', started.workspaceId))
        ? 'folder'
        : '';

  it.each([
    ['empty', null],
    ['garbage', 'no database '.repeat(1_000)],
  ])('keeps files of unknown workspaces and uses them again: %s', async (_, text) => {
    const { fake, agent, workspaceId } = started;
    await lose(text);
    expect(await eventTypes()).toContain('workspace.quarantined');
    expect((await eventTypes()).includes('node.database_damaged')).toBe(text !== null);
    if (role === 'workspace')
      expect(docker('inspect', '-f', '{{.State.Running}}', `svc-ws-${workspaceId}`)).toBe('false');
    const restart = { generation: 2, callbackToken: await fake.workspaceCallback(workspaceId, 2) };
    const path = `/workspaces/${workspaceId}/restart`;
    expect(await agent.call('POST', path, await fake.management(workspaceId), restart)).toMatchObject({
      status: 404,
    });

    fake.calls.length = 0;
    expect(await create(2)).toMatchObject({ status: 202 });
    await until('the workspace to be ready', () => fake.callsTo(`${workspaceId}/ready`)[0]);

    expect(fake.callsTo(`${workspaceId}/ready`)[0]?.body).toMatchObject({ status: 'running' });
    expect(await filesOf()).toContain('kept.txt');
    expect(await eventTypes()).toContain('workspace.adopted');
    await agent.kill('SIGKILL');
    await agent.start();
    expect(await filesOf()).toContain('kept.txt');
  });

  const filesOf = async (): Promise<string> => {
    const { fake, agent, workspaceId } = started;
    const { body } = await agent.call(
      'GET',
      `/workspaces/${workspaceId}/files/list?path=.`,
      await fake.management(workspaceId),
    );
    return JSON.stringify(body);
  };

  it.runIf(role === 'workspace')('refuses to adopt them for an older generation', async () => {
    const { fake, agent, workspaceId } = started;
    fake.calls.length = 0;
    await create(3);
    await until('the third generation to be ready', () => fake.callsTo(`${workspaceId}/ready`)[0]);
    await lose(null);

    expect(await create(2)).toMatchObject({ status: 409, body: { error: 'stale_generation' } });
    expect(remains()).not.toBe('');
    expect(await agent.call('GET', '/workspaces', await fake.management())).toMatchObject({
      body: { workspaces: [] },
    });
  });

  it('removes them when the control plane deletes the workspace', async () => {
    const { fake, agent, workspaceId } = started;
    await lose(null);
    expect(remains()).not.toBe('');

    const answer = await agent.call(
      'DELETE',
      `/workspaces/${workspaceId}`,
      await fake.management(workspaceId),
    );
    expect(answer).toMatchObject({ status: 200 });
    expect(remains()).toBe('');
  });

  it('removes them after the quarantine', async () => {
    await lose(null, { WORKSPACE_QUARANTINE_PERIOD: '1s' });
    expect(remains()).not.toBe('');

    await until(
      'the workspace is deleted',
      async () => (await eventTypes()).includes('workspace.deleted') || undefined,
    );
    expect(remains()).toBe('');
  });
});
