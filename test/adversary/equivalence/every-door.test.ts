import { beforeAll, describe, expect, it } from 'vitest';
import { tools } from '../../../lambdas/domain/mcp/tools.js';
import { actions } from '../../../lambdas/domain/policy/actions.js';
import {
  type Counted,
  type RateLimit,
  type RateLimitName,
  rateLimits,
} from '../../../lambdas/domain/rate-limits/rate-limits.js';
import type { Authorisation } from '../../../lambdas/route-row.js';
import { routes } from '../../../lambdas/routes.js';
import { filesBelow, textOf } from '../supply-chain/repository-files.js';
import { subjectOf } from './situations.js';
import { requests, type ToolRow, toolRows } from './tool-rows.js';
import { TwoMembers } from './two-members.js';

// HTTP and MCP are two doors to the same limits. A third one cannot open without a row here.

/** The person whose requests a kind of caller counts. A new kind does not compile without a row. */
const doors: Readonly<Record<Authorisation['kind'], readonly Counted[]>> = {
  public: ['address'],
  own: ['address'],
  session: ['person'],
  capability: ['person'],
  superadmin: ['person'],
  mcp: ['agent'],
  nodeCallback: ['node'],
  workspaceCallback: ['workspace', 'agent'],
  agentCallback: ['workspace', 'agent'],
  anyCallback: ['node', 'workspace'],
};

/** Use cases that begin something, or put words into a session. */
const beginnings = [
  ...['insertWorkspace', 'createProject', 'createTask', 'submitTask', 'runTask'],
  ...['createChat', 'beginSession', 'acceptPrompt'],
];

/** The doors: a route has its limit in its row, a tool in the actions that it equals. */
const doorFolders = ['lambdas/http/', 'lambdas/domain/mcp/'];

/** Callers inside, each with what was counted when it began. */
const inside: Readonly<Record<string, string>> = {
  'lambdas/domain/tasks/start-agent.ts': 'TASK_RUN counted the run',
  'lambdas/domain/event-wakes/materialise-wake.ts':
    'At most 50 wakes of a subscription that an agent created',
  'lambdas/domain/prompts/prompt-by-system.ts':
    'One text for each end of a subtask that a person or agent began',
};

const importOf = (name: string) => new RegExp(`import [^;]*\\b${name}\\b[^;]*;`);

function importersOf(name: string): readonly string[] {
  return filesBelow('lambdas').filter(
    (path) => /(?<!\.test)\.ts$/.test(path) && importOf(name).test(textOf(path)),
  );
}

describe('every door', () => {
  it.each(routes.map((row) => [row.file, row] as const))('%s counts for its kind of caller', (_file, row) => {
    if (row.limit) expect(doors[row.auth.kind]).toContain(rateLimits[row.limit].per);
  });

  it.each(beginnings)('%s is reached through a door that counts, or from what was counted', (name) => {
    const importers = importersOf(name);
    const others = importers.filter((path) => !doorFolders.some((folder) => path.startsWith(folder)));

    expect(importers.length).toBeGreaterThan(0);
    for (const path of others) expect(Object.keys(inside), `what counts a call of ${name}?`).toContain(path);
  });

  it('that a row names is there', () => {
    const importers = new Set(beginnings.flatMap(importersOf));

    expect([...importers]).toEqual(expect.arrayContaining(Object.keys(inside)));
  });
});

interface Pair {
  readonly limit: RateLimitName;
  readonly toolName: string;
  readonly file: string;
}

/** A tool and a route for each limit that both count. */
const pairs = tools.flatMap(({ name: toolName, policy }): Pair[] => {
  if (policy.equals === 'none' || toolRows[toolName]?.isRefusedToAll) return [];
  const shared = policy.equals.flatMap((action) => {
    const { limit, routes: files } = actions[action];
    const file = files.find((one) => requests[one]);
    return limit && file ? [{ limit, toolName, file }] : [];
  });
  return shared.filter(({ limit }, index) => shared.findIndex((one) => one.limit === limit) === index);
});

describe('a limit', () => {
  let loaded: TwoMembers;
  let two: TwoMembers;

  beforeAll(async () => {
    loaded = await TwoMembers.load(Object.keys(requests));
  });

  const rowOf = (name: string): ToolRow => {
    const row = toolRows[name];
    if (!row) throw new Error(`${name} has no row`);
    return row;
  };

  async function callTool(name: string): Promise<string | undefined> {
    const row = rowOf(name);
    const args = await row.args(await subjectOf(two, row), two);
    const { value } = await two.tool(two.bob, name, args);
    return (value as { readonly error?: string }).error;
  }

  async function callRoute(file: string, toolName: string): Promise<number> {
    // Not the agent's own task: the call may end it, and its tools with it.
    const subject = await subjectOf(two, { ...rowOf(toolName), about: 'record' });
    return (await two.http(two.bob, file, requests[file]?.(subject))).status;
  }

  it('is shared by tools and routes that change tasks, prompt, and start runs', () => {
    const limits = new Set(pairs.map(({ limit }) => limit));

    expect(limits).toEqual(new Set(['CHANGE', 'PROMPT', 'TASK_RUN']));
  });

  it.each(pairs)('$limit that $file has used up refuses $toolName', async ({ limit, toolName, file }) => {
    two = await loaded.again();
    await two.spend(limit, two.bob, 1);

    expect(await callRoute(file, toolName)).not.toBe(429);

    expect(await callTool(toolName)).toBe('RATE_LIMIT_EXCEEDED');
  });

  it.each(pairs)('$limit that $toolName has used up refuses $file', async ({ limit, toolName, file }) => {
    two = await loaded.again();
    await two.spend(limit, two.bob, 1);

    expect(await callTool(toolName)).not.toBe('RATE_LIMIT_EXCEEDED');

    expect(await callRoute(file, toolName)).toBe(429);
  });

  it('of calls of an agent counts every tool, also one without a route', async () => {
    two = await loaded.again();
    const limit: RateLimit = rateLimits.MCP;
    await two.spend('MCP', { userId: String(two.bob.agent.draft.taskId) });
    const reply = await two.send(two.bob, 'ack_message', { messageId: 'none' });

    expect(limit.per).toBe('agent');
    expect(reply.status).toBe(429);
  });
});
