import { afterAll, beforeAll, expect, it } from 'vitest';
import { placedWorkspace } from '../../support/records.js';
import { NodeStub } from '../workspaces/node-stub.js';
import { ToolCalls } from './tool-calls.js';

let tools: ToolCalls;
let node: NodeStub;

beforeAll(async () => {
  node = await NodeStub.start();
  tools = await ToolCalls.load();
});
afterAll(() => node[Symbol.asyncDispose]());

async function onNode(change: object) {
  const agent = await tools.as();
  const { certificatePem, port } = node.place;
  const address = { nodeUrl: `https://127.0.0.1:${port}`, nodeCertificatePem: certificatePem };
  const { node: placed } = await placedWorkspace(tools.table, { userId: agent.project.userId }, node.place);
  await agent.put.workspace({ ...address, nodeId: placed.nodeId, status: 'running', ...change });
}

it('summarises what its node says of the workspace', async () => {
  await onNode({ baseBranch: 'main', branch: 'svc/gate' });
  const entry = (path: string, status: string) => ({ path, status });
  const status = {
    staged: [entry('a.ts', 'M')],
    unstaged: [entry('a.ts', 'M')],
    untracked: [entry('b.ts', '??')],
  };
  const diff = 'diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1,2 @@\n-red\n+green\n+blue\n';
  node.onRequest = async ({ path }) =>
    path.includes('git/status')
      ? { status: 200, body: { ...status, truncated: false } }
      : { status: 200, body: { filePath: null, diff, truncated: true } };

  const { value } = await tools.call('get_workspace_diff_summary');

  expect(value).toEqual({
    ...{ branch: 'svc/gate', baseBranch: 'main' },
    sinceBase: {
      ...{ filesChanged: 1, additions: 2, deletions: 1, truncated: true },
      files: [{ path: 'a.ts', additions: 2, deletions: 1 }],
    },
    uncommitted: { staged: 1, unstaged: 1, untracked: 1, files: ['a.ts', 'b.ts'], truncated: false },
  });
  expect(node.requests.map(({ path }) => path.split('?')[1])).toEqual(
    expect.arrayContaining([undefined, 'base=origin%2Fmain']),
  );
});

it('states that the node does not answer, and changes nothing', async () => {
  await onNode({});
  node.onRequest = async () => ({ status: 500, body: { error: 'broken' } });

  expect((await tools.call('get_workspace_diff_summary')).value).toMatchObject({
    error: 'SERVICE_UNAVAILABLE',
  });
});
