import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { agentRows } from '../../../agent/api/contracts.js';
import { agentDocument } from '../../../scripts/agent-openapi/document.js';
import { limitMs } from '../../support/limit-ms.js';
import { isInstalled, runSchemathesis } from '../../support/schemathesis.js';
import { StartedWorkspaces } from './started-workspaces.js';

const minutes = 60_000;

let started: StartedWorkspaces;

beforeAll(async () => {
  started = await StartedWorkspaces.start('standalone');
});
afterAll(() => started[Symbol.asyncDispose]());

/** They have no end, need a WebSocket, forward to a service, or end the workspace of the run. */
function isExcluded({ contract: { method, path, responses } }: (typeof agentRows)[number]): boolean {
  const endsIt = method === 'delete' && path === '/workspaces/{workspaceId}';
  return method === 'any' || 101 in responses || endsIt || /\/(?:stream|stop|restart|rebuild)$/.test(path);
}

/** The document, in which the one workspace of the run is the only one. */
function documentOfRun({ agent, workspaceId }: StartedWorkspaces): string {
  const document = agentDocument(agentRows.filter((row) => !isExcluded(row)));
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
  { timeout: limitMs(5 * minutes) },
  async () => {
    const { fake, agent, workspaceId } = started;
    const { passed, output } = await runSchemathesis({
      document: documentOfRun(started),
      header: `Authorization: Bearer ${await fake.management(workspaceId)}`,
      examples: 5,
      more: ['--url', `https://127.0.0.1:${agent.port}`, '--tls-verify', 'false', '--request-timeout', '20'],
    });

    expect(passed ?? 0, output).toBeGreaterThan(100);
  },
);
