import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { S3Client } from '@aws-sdk/client-s3';
import Docker from 'dockerode';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CodeHost } from '../../../local/code-host/code-host.js';
import { findContainerGateway } from '../../../local/container-gateway.js';
import { Front } from '../../../local/front/front.js';
import { Objects } from '../../../local/front/objects.js';
import { freePort } from '../../../local/processes/ports.js';
import { baseImage, docker, hasDocker } from '../agent/docker-engine.js';

const network = `berth-gateway-${process.pid}`;
const run = promisify(execFile);
const outside = `${network}-outside`;

describe.skipIf(!hasDocker())('code host and front of the laptop, for containers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-'));
  let codeHost: CodeHost;
  let address: string;
  let port: number;
  let front: Front;
  let frontPort: number;

  beforeAll(async () => {
    docker('network', 'create', '--subnet', `10.213.255.${8 * (process.pid % 30)}/29`, network);
    docker('network', 'create', '--subnet', `10.212.255.${8 * (process.pid % 30)}/29`, outside);
    const gateway = await findContainerGateway(new Docker());
    address = gateway.alias;
    port = await freePort();
    codeHost = new CodeHost({ folder, port, publicUrl: 'http://localhost:1', gateway });
    await codeHost.start();
    frontPort = await freePort();
    front = new Front({
      port: frontPort,
      // Nobody is there: what is passed on gets 502.
      emulatorPort: await freePort(),
      httpApiId: 'api',
      webSocketApiId: 'live',
      objects: new Objects(new S3Client({}), { console: 'none', artifacts: 'none' }),
      nodePort: async () => undefined,
      nodeAuthority: '',
      originSecret: 'none',
      frontSecret: 'none',
      gateway,
    });
    await front.start();
  });

  afterAll(async () => {
    await front?.[Symbol.asyncDispose]();
    await codeHost?.[Symbol.asyncDispose]();
    docker('network', 'rm', network, outside);
    rmSync(folder, { recursive: true, force: true });
  });

  /**
   * The first line of the answer, as a container on the network sees it; empty without an answer.
   */
  const get = async (path: string, from: string, at = port) => {
    const script = `exec 3<>/dev/tcp/${address}/${at} && printf "GET ${path} HTTP/1.0\\r\\nhost: x\\r\\n\\r\\n" >&3 && head -1 <&3`;
    const args = ['run', '--rm', '--network', from, baseImage, 'timeout', '5', 'bash', '-c', script];
    // Waiting without the process: it is the server, too.
    return run('docker', args).then(
      ({ stdout }) => stdout,
      () => '',
    );
  };
  const refs = '/octo/hello.git/info/refs?service=git-upload-pack';

  it('serves git to workspaces', async () => {
    expect(await get(refs, network)).toMatch(/^HTTP\/1.1 (200|401)/);
  });

  it.each(['/login/oauth/authorize', '/api/v3/user', '/', '/apps/berth/installations/new'])(
    'shows workspaces nothing at %s, where anybody may sign in as anybody',
    async (path) => {
      expect(await get(path, network)).toMatch(/^HTTP\/1.1 404/);
    },
  );

  it('passes the tools of coding agents on, and nothing else of the console or the API', async () => {
    expect(await get('/mcp', network, frontPort)).toMatch(/^HTTP\/1.1 502/);
    for (const path of ['/', '/api/me', '/api/auth/codehost/start', '/mcp/../api/me', '/live'])
      expect([path, await get(path, network, frontPort)]).toEqual([path, expect.stringMatching(/ 404 /)]);
  });

  it('hangs up on everybody who is not on a network of workspaces', async () => {
    expect(await get(refs, outside)).toBe('');
    await expect(fetch(`http://${address}:${port}${refs}`)).rejects.toThrow();
  });
});
