import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { bootsNothingFile } from '../../../local/ec2/instances.js';
import { findInstance } from '../../support/instance-files.js';
import { Person } from '../../support/person.js';
import { until } from '../../support/until.js';
import { untilStatus } from '../one-workspace.js';

describe('a node that never boots', () => {
  const { url, stateDir, mallory } = inject('cloud');
  const person = new Person(url, mallory);
  const brokenImage = join(stateDir, 'ec2', bootsNothingFile);
  let workspaceId: string;
  let nodeId: string;

  beforeAll(async () => {
    await removeNodes(person);
    writeFileSync(brokenImage, '');
    const created = await person.post('/api/workspaces', {
      displayName: 'never',
      repository: 'mallory/secrets',
      installationId: '5002',
    });
    expect(created.status, created.text).toBe(201);
    workspaceId = created.body.id;
    nodeId = await until('it has a place', async () => {
      const { body } = await person.get(`/api/workspaces/${workspaceId}`);
      return body.nodeId ?? undefined;
    });
    await until(
      'its machine has power',
      () => findInstance(stateDir, nodeId)?.state === 'running' || undefined,
    );
  });
  afterAll(() => rmSync(brokenImage, { force: true }));

  it('marks its workspace errored, with a reason that states what the person can do', async () => {
    const workspace = await untilStatus(person, workspaceId, 'errored');

    expect(workspace.errorMessage).toMatch(/node .*did not|node .*within|again/i);
    expect(workspace.errorMessage).not.toMatch(/States\.|Lambda|\bat .*\.ts/);
  });

  it('is terminated and deleted', async () => {
    await until(
      'the instance is terminated',
      () => findInstance(stateDir, nodeId)?.state === 'terminated' || undefined,
    );
    await until('the node is gone', async () => {
      const { status, body } = await person.get(`/api/nodes/${nodeId}`);
      return status === 404 || body.status === 'deleted' || undefined;
    });
  });

  it('does not block the deletion of its workspace', async () => {
    await person.delete(`/api/workspaces/${workspaceId}`);

    await until('the workspace is gone', async () => {
      const { status } = await person.get(`/api/workspaces/${workspaceId}`);
      return status === 404 || undefined;
    });
  });
});

/**
 * Files that ran before may have left an empty node of theirs, where the workspace would find a
 * place.
 */
async function removeNodes(person: Person): Promise<void> {
  await until('they have no node', async () => {
    const { body } = await person.get('/api/nodes');
    for (const { id, status } of body.nodes)
      if (status !== 'deleting') await person.delete(`/api/nodes/${id}`);
    return body.nodes.length === 0 || undefined;
  });
}
