import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkAccount } from './check-account.mjs';

const empty = mkdtempSync(join(tmpdir(), 'account-'));
const without = { HOME: empty, AWS_EC2_METADATA_DISABLED: 'true' };
const check = (env: NodeJS.ProcessEnv, ...args: readonly string[]) =>
  checkAccount('deploy', args, { ...without, ...env });

it.each([
  { AWS_ACCESS_KEY_ID: 'AKIA' },
  { AWS_PROFILE: 'mine' },
  { AWS_ROLE_ARN: 'arn' },
  { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/v2/credentials' },
  {
    AWS_CONTAINER_CREDENTIALS_FULL_URI:
      'http://localhost:1338/latest/meta-data/container/security-credentials',
  },
])('accepts the credentials of %j', async (env) => {
  await expect(check(env)).resolves.toBeUndefined();
});

it('accepts the default profile', async () => {
  const home = mkdtempSync(join(tmpdir(), 'account-'));
  mkdirSync(join(home, '.aws'));
  writeFileSync(join(home, '.aws/credentials'), '[default]\n');

  await expect(check({ HOME: home })).resolves.toBeUndefined();
});

it.each([
  [200, true],
  [404, false],
])('asks the metadata service of an instance for a role: %i', async (status, isAccepted) => {
  const service = createServer((request, response) =>
    response.writeHead(request.method === 'PUT' ? 200 : status).end('token'),
  ).listen(0, '127.0.0.1');
  await new Promise((resolve) => service.once('listening', resolve));
  const { port } = service.address() as AddressInfo;
  const env = {
    AWS_EC2_METADATA_DISABLED: '',
    AWS_EC2_METADATA_SERVICE_ENDPOINT: `http://127.0.0.1:${port}`,
  };
  const outcome = await check(env).then(
    () => true,
    () => false,
  );
  service.close();

  expect(outcome).toBe(isAccepted);
});

it('refuses no credentials, those of an emulator, and a profile that only CDK would use', async () => {
  await expect(check({})).rejects.toThrow('No AWS account is configured');
  await expect(check({ AWS_ACCESS_KEY_ID: 'BERTH0123456789ABCDEF0123' })).rejects.toThrow(
    'the key of an emulator',
  );
  await expect(check({ AWS_ACCESS_KEY_ID: 'test' })).rejects.toThrow('the key of an emulator');
  await expect(check({ AWS_PROFILE: 'a' }, '--profile', 'b')).rejects.toThrow('Set AWS_PROFILE');
});
