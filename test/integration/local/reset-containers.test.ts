import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { afterAll, describe, expect, it } from 'vitest';
import type { InstanceRecord } from '../../../local/ec2/instance-record.js';
import { findDocker } from '../../../local/ec2/node-containers.js';

const docker = await findDocker();
if (!docker) console.warn('npm run reset is not tested with containers: no Docker engine answers.');

describe.skipIf(!docker)('npm run reset with nodes that have volumes and networks in the engine', () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'berth-reset-'));
  const mine = ulid();
  const others = ulid();
  afterAll(async () => {
    rmSync(stateDir, { recursive: true, force: true });
    await docker?.getVolume(`test-${others}`).remove({ force: true });
    await docker?.getNetwork(`test-${others}`).remove();
  });

  const volumes = async () => {
    const found = await Promise.all(
      [mine, others].map(async (nodeId) => {
        const { Volumes } = (await docker?.listVolumes({ filters: { label: [`svc.node=${nodeId}`] } })) ?? {};
        return Volumes?.length ?? 0;
      }),
    );
    return { mine: found[0], others: found[1] };
  };

  const networks = async () => {
    const found = await docker?.listNetworks({ filters: { label: ['svc.node'] } });
    return (found ?? [])
      .map(({ Name }) => Name)
      .filter((name) => name.endsWith(mine) || name.endsWith(others));
  };

  it('removes what its own nodes made, and nothing else', async () => {
    for (const [index, nodeId] of [mine, others].entries()) {
      const named = { Name: `test-${nodeId}`, Labels: { 'svc.node': nodeId } };
      await docker?.createVolume(named);
      const subnet = `10.212.${process.pid % 250}.${16 * index}/28`;
      await docker?.createNetwork({ ...named, IPAM: { Config: [{ Subnet: subnet }] } });
    }
    mkdirSync(join(stateDir, 'ec2'));
    writeFileSync(join(stateDir, 'ec2/i-1.json'), JSON.stringify(recordOf(mine)));
    expect(await volumes()).toEqual({ mine: 1, others: 1 });

    execFileSync(process.execPath, ['scripts/reset.mjs'], {
      env: { ...process.env, BERTH_STATE_DIR: stateDir },
    });

    expect(await volumes()).toEqual({ mine: 0, others: 1 });
    expect(await networks()).toEqual([`test-${others}`]);
  });
});

const recordOf = (nodeId: string): InstanceRecord => ({
  instanceId: 'i-1',
  nodeId,
  clientToken: nodeId,
  instanceType: 't4g.large',
  imageId: 'ami-1',
  subnetId: '',
  state: 'running',
  stateReason: '',
  launchTime: '2026-01-01T00:00:00.000Z',
  terminatedAt: null,
  tags: {},
  port: 1,
});
