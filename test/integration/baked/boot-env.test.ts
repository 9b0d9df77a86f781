import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { userData, warmUserData } from '../../../lambdas/domain/nodes/bootstrap.js';
import { newId } from '../../../lambdas/shared/ids.js';

const script = fileURLToPath(new URL('../../../ami/files/usr/local/lib/berth/boot-env.mjs', import.meta.url));
const boot = {
  NODE_ID: newId(),
  CONTROL_PLANE_URL: 'https://berth.example',
  BOOTSTRAP_TOKEN: 'a'.repeat(43),
};
let root: string;
let server: Server;
let served: string;

/** The metadata service of EC2, which answers only to a token of its own. */
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'berth-boot-env-'));
  mkdirSync(join(root, 'etc/svc'), { recursive: true });
  writeFileSync(join(root, 'etc/svc/warm'), '');
  server = createServer((request, response) => {
    const isToken = request.method === 'PUT' && request.url === '/latest/api/token';
    const isAllowed = request.headers['x-aws-ec2-metadata-token'] === 'token';
    if (isToken) response.end('token');
    else response.writeHead(isAllowed ? 200 : 401).end(isAllowed ? served : '');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});

afterEach(() => {
  server.close();
  rmSync(root, { recursive: true, force: true });
});

async function run(): Promise<number> {
  const { port } = server.address() as AddressInfo;
  const child = spawn(process.execPath, [script, '--metadata', `http://127.0.0.1:${port}`, '--root', root]);
  const [code] = await once(child, 'exit');
  return Number(code);
}

it('writes the environment of the agent from the user data of a later start, for root only', async () => {
  served = userData(boot);

  expect(await run()).toBe(0);

  const file = join(root, 'etc/svc/node.env');
  expect(readFileSync(file, 'utf8')).toContain(`NODE_ID=${boot.NODE_ID}\n`);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(existsSync(join(root, 'etc/svc/warm'))).toBe(false);
});

it('keeps waiting while its user data names no node', async () => {
  served = warmUserData;

  expect(await run()).toBe(0);

  expect(existsSync(join(root, 'etc/svc/node.env'))).toBe(false);
  expect(existsSync(join(root, 'etc/svc/warm'))).toBe(true);
});
