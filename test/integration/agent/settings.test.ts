import { spawnSync } from 'node:child_process';
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtAgent } from '../../../scripts/builds/built.js';
import { AgentProcess } from './agent-process.js';
import { FakeControlPlane, nodeId } from './fake-control-plane.js';

describe('the command line of the agent', () => {
  const good = {
    NODE_ID: nodeId,
    CONTROL_PLANE_URL: 'https://berth.example',
    CALLBACK_TOKEN: 'hidden-token',
  };
  let bundle = '';

  beforeAll(async () => {
    bundle = await builtAgent();
  });

  const run = (option: string | null, env: Readonly<Record<string, string>>) =>
    spawnSync(process.execPath, [bundle, ...(option === null ? [] : [option])], { encoding: 'utf8', env });

  it('helps without any environment', () => {
    const { status, stdout } = run('--help', {});

    expect(status).toBe(0);
    expect(stdout).toContain('LOG_STREAM_PONG_TIMEOUT  (90s)');
  });

  it('prints the environment as it understood it, without secrets', () => {
    const { status, stdout } = run('--print-config', { ...good, LOG_FORMAT: 'text' });

    expect(status).toBe(0);
    expect(stdout).toContain('LOG_FORMAT=text\n');
    expect(stdout).toContain('CALLBACK_TOKEN=[redacted]\n');
    expect(stdout).not.toContain('hidden-token');
  });

  it.each([
    [null, { ...good, LOG_READER_TIMEOUT: 'soon' }, 'LOG_READER_TIMEOUT must be a duration'],
    ['--print-config', { ...good, LOG_READER_TIMEOUT: 'soon' }, 'not "soon"'],
    ['--halp', good, 'Unknown option --halp'],
  ])('ends with one line for %s in %j', (option, env, message) => {
    const { status, stdout, stderr } = run(option, env);

    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});

describe('pages of other origins', () => {
  let fake: FakeControlPlane;
  let agent: AgentProcess;

  beforeAll(async () => {
    fake = await FakeControlPlane.start();
    agent = new AgentProcess(fake, { NODE_ROLE: 'standalone', LOG_FORMAT: 'json' });
    await agent.start();
  });

  afterAll(async () => {
    await agent[Symbol.asyncDispose]();
    await fake[Symbol.asyncDispose]();
  });

  const send = (method: string, headers: Readonly<Record<string, string>>) =>
    new Promise<{ readonly status: number | undefined; readonly headers: IncomingHttpHeaders }>(
      (resolve, reject) => {
        const address = {
          host: '127.0.0.1',
          port: agent.port,
          path: '/system-info',
          ca: agent.certificate(),
        };
        request({ ...address, method, headers }, (response) => {
          response.resume();
          response.on('end', () => resolve({ status: response.statusCode, headers: response.headers }));
        })
          .on('error', reject)
          .end();
      },
    );

  it('may call when their origin is allowed, and still need a token', async () => {
    const preflight = { origin: fake.url, 'access-control-request-method': 'GET' };

    const allowed = await send('OPTIONS', preflight);
    expect(allowed).toMatchObject({ status: 204, headers: { 'access-control-allow-origin': fake.url } });
    expect(allowed).not.toHaveProperty('headers.access-control-allow-credentials');
    expect(await send('GET', { origin: fake.url })).toMatchObject({
      status: 401,
      headers: { 'access-control-allow-origin': fake.url, vary: 'Origin' },
    });
  });

  it('learn nothing when it is not', async () => {
    const preflight = { origin: 'https://evil.example', 'access-control-request-method': 'GET' };

    const { status, headers } = await send('OPTIONS', preflight);

    expect(status).toBe(204);
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });
});
