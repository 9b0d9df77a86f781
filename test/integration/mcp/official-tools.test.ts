import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { tools } from '../../../lambdas/domain/mcp/tools.js';
import { functionEnv } from '../../support/function-env.js';
import { type Invoke, loadRoute } from '../../support/invoke.js';
import { limitMs } from '../../support/limit-ms.js';
import { McpTools } from '../../support/mcp-tools.js';
import { sharedTable } from '../../support/table.js';
import { anAgent } from './an-agent.js';
import { serveRoute } from './serve-route.js';

// The official conformance suite and MCP Inspector against the route.

const revisions = ['2025-11-25', '2026-07-28'] as const;

let programs: McpTools;
let server: Awaited<ReturnType<typeof serveRoute>>;
let home: string;

beforeAll(async () => {
  Object.assign(process.env, functionEnv);
  home = mkdtempSync(join(tmpdir(), 'berth-mcp-tools-'));
  programs = await McpTools.install();
  let invoke: Invoke | undefined;
  server = await serveRoute((request) => authorized(invoke, request), 'POST');
  // The route accepts requests of this origin, as a deployment does those of its console.
  process.env.PUBLIC_URL = server.url.origin;
  invoke = await loadRoute('mcp/call');
});
afterAll(() => server[Symbol.asyncDispose]());

/** A task has 120 requests a minute, and the suite sends more. */
const requestsOfAgent = 100;
let secret = '';
let sent = 0;

/** Sends a request with the token of an agent when it has none: the suite knows no header. */
async function authorized(invoke: Invoke | undefined, request: Parameters<Invoke>[0] = {}) {
  if (!invoke) throw new Error('The route is not loaded');
  if (request.headers?.authorization) return invoke(request);
  sent += 1;
  if (sent % requestsOfAgent === 1) secret = (await anAgent(sharedTable(), new Date(), { task: {} })).secret;
  return invoke({ ...request, headers: { ...request.headers, authorization: `Bearer ${secret}` } });
}

describe.each(revisions)('the conformance suite of revision %s', (revision) => {
  it('passes, but for checks of features that the server does not declare', {
    timeout: limitMs(180_000),
  }, async () => {
    const baseline = join(import.meta.dirname, `conformance/${revision}.yaml`);
    const { server: expected } = parse(readFileSync(baseline, 'utf8')) as { server: string[] };

    const run = await programs.run(
      'conformance',
      [
        ...['server', '--url', server.url.href, '--suite', 'all', '--spec-version', revision],
        ...['--expected-failures', baseline],
      ],
      home,
    );

    expect(run, run.stdout.slice(-6_000)).toMatchObject({ code: 0 });
    expect(run.stdout).toContain('Baseline check passed');
    for (const check of expected) expect(run.stdout).toContain(`~ ${check}`);
  });
});

describe.each([
  ['2025-11-25', 'legacy'],
  ['2026-07-28', 'modern'],
])('MCP Inspector with revision %s', (_, era) => {
  async function inspect(...args: readonly string[]) {
    const agent = await anAgent(sharedTable(), new Date(), { task: {} });
    const run = await programs.run(
      'mcp-inspector',
      [
        ...['--cli', '--transport', 'http', '--server-url', server.url.href, '--protocol-era', era],
        ...['--header', `Authorization: Bearer ${agent.secret}`, '--format', 'json', ...args],
      ],
      home,
    );
    return { ...run, agent };
  }

  it('lists every tool, with a schema that models accept', async () => {
    const { code, stdout, stderr } = await inspect('--method', 'tools/list', '--strict');

    expect(code, stderr).toBe(0);
    const { result } = JSON.parse(stdout) as { result: { tools: { name: string }[] } };
    expect(result.tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
  });

  it('calls a tool', async () => {
    const { code, stdout, stderr, agent } = await inspect(
      ...['--method', 'tools/call', '--tool-name', 'get_instructions'],
    );

    expect(code, stderr).toBe(0);
    expect(stdout).toContain(agent.project.projectId);
  });

  it('reports a refused argument', async () => {
    const { code, stdout, stderr } = await inspect(
      ...['--method', 'tools/call', '--tool-name', 'get_instructions', '--tool-arg', 'projectId=x'],
    );

    expect(code).not.toBe(0);
    expect(`${stdout}${stderr}`).toContain('The parameters are invalid');
  });
});
