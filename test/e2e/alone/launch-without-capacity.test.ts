import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, expect, inject, it } from 'vitest';
import { launchCooldownKey } from '../../../lambdas/domain/nodes/launch-cooldown.js';
import { Aws } from '../../../local/aws.js';
import { refusedLaunchesFile } from '../../../local/ec2/refused-launches.js';
import { Person } from '../../support/person.js';
import { until } from '../../support/until.js';
import { untilStatus } from '../one-workspace.js';

const deployed = inject('cloud');
const { url, tableName, stateDir, mallory } = deployed;
const refusals = join(stateDir, 'ec2', refusedLaunchesFile);

async function endCooldown() {
  using aws = new Aws(deployed);
  const Key = marshall({ ...launchCooldownKey });
  await aws.dynamo.send(new DeleteItemCommand({ TableName: tableName, Key }));
}

afterAll(async () => {
  rmSync(refusals, { force: true });
  await endCooldown();
});

it('a workspace waits while EC2 has no capacity, shows the reason, and runs afterwards', async () => {
  const person = new Person(url, mallory);
  writeFileSync(refusals, JSON.stringify([{ code: 'InsufficientInstanceCapacity' }]));
  const { status, body, text } = await person.post('/api/workspaces', {
    displayName: 'patient',
    repository: 'mallory/secrets',
    installationId: '5002',
    resourceRequirements: { exclusiveNode: true },
  });
  expect(status, text).toBe(201);
  const path = `/api/workspaces/${body.id}`;

  const waiting = await until('it waits', async () => {
    const { body: present } = await person.get(path);
    return present.admissionReason ? present : undefined;
  });
  expect(waiting).toMatchObject({ status: 'pending', placementExplanation: { outcome: 'waiting' } });
  expect(waiting.admissionReason).toMatch(/^EC2 has no .* at present/);
  const log = await person.get(`${path}/boot-log`);
  expect(log.text).toContain('at present; no other type or zone is left');

  rmSync(refusals);
  await endCooldown();
  const ran = await untilStatus(person, body.id, 'running');
  expect(ran.placementExplanation.outcome).toBe('new_node');
  expect((await person.delete(path)).status).toBeLessThan(300);
});
