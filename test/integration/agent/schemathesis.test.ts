import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { agentRows } from '../../../agent/api/contracts.js';
import { agentDocument } from '../../../scripts/agent-openapi/document.js';
import { isInstalled, runSchemathesis } from '../../support/schemathesis.js';
import { until } from '../../support/until.js';
import { AgentProcess } from './agent-process.js';
import { FakeControlPlane } from './fake-control-plane.js';
import { workspaceRequest } from './workspace-request.js';

const minutes = 60_000;
const workspaceId = ulid();

let fake: FakeControlPlane;
let agent: AgentProcess;

beforeAll(async () => {
  fake = await FakeControlPlane.start();
  agent = new AgentProcess(fake, { NODE_ROLE: 'standalone' });
  await agent.start();
  const token = await fake.management(workspaceId);
  await agent.call('POST', '/workspaces', token, await workspaceRequest(fake, workspaceId));
  await until('the workspace runs', async () => {
    const { body } = await agent.call('GET', '/workspaces', await fake.management());
    return JSON.stringify(body).includes('"running"') || undefined;
  });
});
afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await fake[Symbol.asyncDispose]();
});

/** They have no end, need a WebSocket, forward to a service, or end the workspace of the run. */
const excluded = agentRows
  .filter(({ contract: { method, path, responses } }) => {
    const endsIt = method === 'delete' && path === '/workspaces/{workspaceId}';
    return method === 'any' || 101 in responses || endsIt || /\/(?:stream|stop|restart|rebuild)$/.test(path);
  })
  .map(({ contract }) => contract.path);

/** The document, in which the one workspace of the run is the only one. */
function documentOfRun(): string {
  const document = agentDocument(agentRows.filter(({ contract }) => !excluded.includes(contract.path)));
  const text = JSON.stringify(document, (_, value: unknown) => {
    const isIt =
      typeof value === 'object' && value !== null && 'name' in value && value.name === 'workspaceId';
    return isIt && 'in' in value && value.in === 'path'
      ? { ...value, schema: { const: workspaceId } }
      : value;
  });
  const path = join(agent.folder, 'openapi.json');
  writeFileSync(path, text);
  return path;
}

it.runIf(isInstalled)(
  'each route of the node agent answers generated requests as its OpenAPI document says',
  { timeout: 5 * minutes },
  async () => {
    const { passed, output } = await runSchemathesis({
      document: documentOfRun(),
      header: `Authorization: Bearer ${await fake.management(workspaceId)}`,
      examples: 5,
      more: ['--url', `https://127.0.0.1:${agent.port}`, '--tls-verify', 'false', '--request-timeout', '20'],
    });

    expect(passed ?? 0, output).toBeGreaterThan(100);
  },
);
