import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { untilStatus } from '../e2e/one-workspace.js';
import { docker, runOutOfMemory } from '../integration/agent/docker-engine.js';
import type { Person } from '../support/person.js';
import { projectOf } from '../support/project-of.js';
import { until } from '../support/until.js';

/** Defines the test of a container that runs out of memory; its agent never gets a prompt. */
export function itEvictsAContainer(open: () => Person): void {
  it('saves a workspace that ran out of memory, and continues it on another node', async () => {
    const person = open();
    const projectId = await projectOf(person, 'octo/hello', 'Hello');
    const created = await person.post('/api/workspaces', { displayName: 'hog', projectId });
    expect(created.status, created.text).toBe(201);
    const workspaceId = String(created.body.id);
    const path = `/api/workspaces/${workspaceId}`;
    const { nodeId } = await untilStatus(person, workspaceId, 'running');
    const session = await person.post(`${path}/agent-sessions`, {});
    expect(session.status, session.text).toBe(201);
    const inside = (script: string) =>
      spawnSync('docker', ['exec', '-w', '/workspaces/hello', `svc-ws-${workspaceId}`, 'sh', '-c', script], {
        encoding: 'utf8',
      });
    expect(inside('echo kept > kept.txt && echo home > ~/home.txt').status).toBe(0);

    const limit = Number(docker('inspect', '-f', '{{.HostConfig.Memory}}', `svc-ws-${workspaceId}`));
    runOutOfMemory(`svc-ws-${workspaceId}`, limit / 2 ** 20);

    const evicted = await untilStatus(person, workspaceId, 'evicted');
    expect(evicted.endedBecause).toMatchObject({ kind: 'evicted_oom', text: expect.stringMatching(/GiB/) });
    expect((await person.post(`${path}/restart`)).status).toBe(202);
    const restored = await untilStatus(person, workspaceId, 'running');
    expect(restored.nodeId).not.toBe(nodeId);
    // It runs a moment before its files are restored, as after a sleep.
    await until('its files', () => inside('cat kept.txt ~/home.txt').stdout === 'kept\nhome\n' || undefined);
    expect((await person.delete(path)).status).toBeLessThan(300);
  });
}
