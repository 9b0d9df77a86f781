import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AgentProcess } from './agent-process.js';
import { FakeControlPlane } from './fake-control-plane.js';

const socket = join(mkdtempSync(join(tmpdir(), 'no-engine-')), 'docker.sock');
let fake: FakeControlPlane;
let agent: AgentProcess;
let status = 200;
/** Of an engine that has nothing. */
const engine = createServer(({ url }, response) => {
  response
    .writeHead(status, { connection: 'close' })
    .end(url?.includes('/volumes') ? '{"Volumes":[]}' : '[]');
});

beforeAll(async () => {
  await once(engine.listen(socket), 'listening');
  fake = await FakeControlPlane.start();
  agent = new AgentProcess(fake, { NODE_ROLE: 'workspace', DOCKER_HOST: `unix://${socket}` });
  await agent.start();
});

afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await fake[Symbol.asyncDispose]();
  engine.closeAllConnections();
  engine.close();
});

const containers = async () => agent.call('GET', '/containers', await fake.management());
const unavailable = {
  status: 503,
  body: { error: 'unavailable', message: 'The Docker engine does not answer. Try again later.' },
};

it('reports that the engine fails or is not available', async () => {
  expect(await containers()).toEqual({ status: 200, body: { containers: [] } });

  status = 500;
  expect(await containers()).toEqual(unavailable);

  engine.closeAllConnections();
  await new Promise((resolve) => engine.close(resolve));
  expect(await containers()).toEqual(unavailable);
});
