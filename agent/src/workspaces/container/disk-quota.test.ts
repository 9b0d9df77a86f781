import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { diskQuotaObstacle } from './disk-quota.js';

const folder = mkdtempSync(join(tmpdir(), 'berth-mounts-'));
const file = join(folder, 'mounts');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const info = (Driver: string, filesystem: string) => ({
  Driver,
  DriverStatus: [['Backing Filesystem', filesystem]],
  DockerRootDir: '/var/lib/docker',
});
const root = '/dev/nvme0n1p1 / xfs rw,relatime,attr2,noquota 0 0';
const data = '/dev/nvme1n1 /var/lib/docker xfs rw,prjquota 0 0';

it.each([
  ['on a disk of its own', [root, data]],
  ['on the disk of the system', ['/dev/nvme0n1p1 / xfs rw,pquota 0 0', '/dev/x /var/lib/dock xfs rw 0 0']],
])('the engine limits disk with overlay2 on xfs with pquota, %s', async (_, mounts) => {
  writeFileSync(file, mounts.join('\n'));
  expect(await diskQuotaObstacle(info('overlay2', 'xfs'), file)).toBeNull();
});

it.each([
  [info('overlay2', 'xfs'), [root], 'mounted without pquota'],
  [info('overlay2', 'xfs'), [data, '/dev/y /var/lib/docker xfs rw 0 0'], 'mounted without pquota'],
  [info('overlay2', 'xfs'), [], 'mounted without pquota'],
  [info('overlay2', 'extfs'), [data], 'overlay2 on extfs'],
  [info('overlayfs', 'xfs'), [data], 'overlayfs on xfs'],
  [{ Driver: 'overlay2', DriverStatus: null }, [data], 'an unknown file system'],
  [null, [data], 'does not report its storage'],
])('the engine cannot limit disk with %j and %j', async (engine, mounts, reason) => {
  writeFileSync(file, mounts.join('\n'));
  expect(await diskQuotaObstacle(engine, file)).toContain(reason);
});

it('the engine cannot limit disk when the mounts cannot be read', async () => {
  const missing = join(folder, 'missing');
  expect(await diskQuotaObstacle(info('overlay2', 'xfs'), missing)).toContain('without pquota');
});
