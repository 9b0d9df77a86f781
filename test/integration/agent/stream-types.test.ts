import { request } from 'node:https';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { agentRows } from '../../../agent/api/contracts.js';
import { agentDocument } from '../../../scripts/agent-openapi/document.js';
import { isJson } from '../../../scripts/agent-openapi/operation.js';
import { StartedWorkspaces } from './started-workspaces.js';

const files = ['page.html', 'notes.md', 'data.json', 'image.svg', 'film.mp4', 'without-extension'];
const inWorkspace: Readonly<Record<string, readonly string[]>> = {
  rawFile: files.map((name) => `path=${name}`),
  downloadFile: ['path=page.html', 'path=.'],
};
const streams = agentRows.filter(({ contract: { method, responses } }) => {
  const shape = responses[200] ?? null;
  return method === 'get' && shape !== null && !isJson(shape);
});

let started: StartedWorkspaces;

beforeAll(async () => {
  started = await StartedWorkspaces.start('standalone');
  started.shell(`for name in ${files.join(' ')}; do echo x > $name; done`);
});
afterAll(() => started[Symbol.asyncDispose]());

it('covers every route that sends a stream', () => {
  expect(streams.map(({ name }) => name).sort()).toEqual(
    ['debugPackage', 'exportEvents', 'exportMetrics', ...Object.keys(inWorkspace)].sort(),
  );
});

it.each(streams)('$name sends only media types of the OpenAPI document', async ({ name, contract }) => {
  const document = JSON.parse(JSON.stringify(agentDocument(agentRows)));
  const { responses } = document.paths[contract.path].get;
  for (const query of inWorkspace[name] ?? ['']) {
    const path = `${contract.path.replace('{workspaceId}', started.workspaceId)}?${query}`;
    const { status, type } = await get(path, contract.token === 'transfer');
    expect({ path, status }).toEqual({ path, status: 200 });
    expect(Object.keys(responses[status].content)).toContain(type);
  }
});

async function get(path: string, isInWorkspace: boolean) {
  const { agent, fake, workspaceId } = started;
  const token = isInWorkspace ? await fake.management(workspaceId) : await fake.management();
  const headers = { authorization: `Bearer ${token}` };
  const sent = request({ host: '127.0.0.1', port: agent.port, ca: agent.certificate(), path, headers });
  return new Promise<{ status: number; type: string | undefined }>((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', (response) => {
      response.resume();
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, type: response.headers['content-type'] }),
      );
    });
    sent.end();
  });
}
