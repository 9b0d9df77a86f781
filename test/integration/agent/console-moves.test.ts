import { request } from 'node:https';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { AgentProcess } from './agent-process.js';
import { FakeControlPlane } from './fake-control-plane.js';
import { TestWorkspaces } from './workspaces.js';

const waiting = { timeout: 30_000, interval: 50 };
/** Nothing answers at either: the agent calls the addresses of callbacks and of the issuer. */
const [before, after] = ['https://d111111abcdef8.cloudfront.example', 'https://berth.example'];

let fake: FakeControlPlane;
let agent: AgentProcess;
let workspaces: TestWorkspaces;

beforeAll(async () => {
  fake = await FakeControlPlane.start();
  agent = new AgentProcess(fake, {
    NODE_ROLE: 'standalone',
    CONTROL_PLANE_URL: before,
    JWT_ISSUER: fake.url,
    CALLBACK_URL: fake.url,
  });
  await agent.start();
  workspaces = new TestWorkspaces(fake, agent);
});
afterAll(async () => {
  await workspaces[Symbol.asyncDispose]();
  await agent[Symbol.asyncDispose]();
  await fake[Symbol.asyncDispose]();
});

const mayRead = (origin: string) =>
  new Promise<boolean>((resolve, reject) => {
    const address = { host: '127.0.0.1', port: agent.port, path: '/system-info', ca: agent.certificate() };
    request({ ...address, headers: { origin } }, (response) => {
      response.resume();
      resolve(response.headers['access-control-allow-origin'] === origin);
    })
      .on('error', reject)
      .end();
  });

it('a domain that is added to a deployment ends no terminal of a running node', async () => {
  const workspaceId = await workspaces.make();
  const open = await workspaces.run(workspaceId, 'printf "be%s\\n" fore');
  await open.waitForText(/before/);
  expect([await mayRead(before), await mayRead(after)]).toEqual([true, false]);

  fake.handlers.set('heartbeat', async () => ({
    status: 200,
    body: {
      status: 'running',
      lastHeartbeatAt: new Date().toISOString(),
      healthStatus: 'healthy',
      consoleUrl: after,
    },
  }));

  await vi.waitFor(async () => expect(await mayRead(after)).toBe(true), waiting);
  expect(await mayRead(before)).toBe(true);
  open.type('run-0', 'printf "af%s\\n" ter\n');
  await open.waitForText(/after/);
  const next = await workspaces.run(workspaceId, 'printf "ne%s\\n" xt');
  await next.waitForText(/next/);
});
