import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { newChat } from '../../../lambdas/domain/chats/chat.js';
import { tool } from '../../../lambdas/domain/mcp/tool.js';
import { tools } from '../../../lambdas/domain/mcp/tools.js';
import { actions } from '../../../lambdas/domain/policy/actions.js';
import { acceptPrompt, type PromptRequest } from '../../../lambdas/domain/prompts/accept-prompt.js';
import { routes } from '../../../lambdas/routes.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { requests, testedElsewhere } from './tool-rows.js';

/** API areas without tools, and why. A new route elsewhere needs an action or its own row. */
const areasWithoutTools: Readonly<Record<string, string>> = {
  admin: 'Superadmins act in person',
  auth: 'Agents do not sign in',
  codehost: 'Agents have a git token for one repository',
  credentials: 'Agents get a key from their node, never from a tool',
  files: 'Agents have the files of their own workspace',
  git: 'Agents have the git of their own workspace',
  inbox: 'What waits for a person',
  invites: 'Persons manage members',
  members: 'Persons manage members',
  nodes: 'Persons manage nodes',
  profiles: 'Persons manage profiles',
  settings: 'Persons manage their own settings',
  skills: 'Persons manage skills',
  terminal: 'Agents have the shell of their own workspace',
  utility: 'Public',
  callbacks: 'Callbacks of nodes: callbacks.test.ts',
  mcp: 'The tools themselves: every-tool.test.ts',
};

const routesWithoutTools: Readonly<Record<string, string>> = {
  'projects/list': 'A token is of one project',
  'projects/create': 'A token is of one project',
  'projects/change': 'Persons manage projects',
  'projects/detach': 'Persons manage projects',
  'chats/create': 'An agent has a session; dispatch_task makes one with a task',
  'tasks/status-callback': 'Callback of nodes: callbacks.test.ts',
  'agent-sessions/create': 'An agent begins no other agent but by dispatch_task',
  'agent-sessions/list': 'An agent sees sessions as chats',
  'agent-sessions/stop': 'An agent stops tasks only',
  'workspaces/create': 'An agent gets workspaces by dispatch_task',
  'workspaces/list': 'A token is of one workspace',
  'workspaces/stop': 'Persons manage workspaces',
  'workspaces/keep-awake': 'Persons manage workspaces',
  'workspaces/sleep': 'Persons manage workspaces',
  'workspaces/restart': 'Persons manage workspaces',
  'workspaces/rebuild': 'Persons manage workspaces',
  'workspaces/delete': 'Persons manage workspaces',
  'workspaces/boot-log': 'Persons read boot logs',
};

const rules = Object.entries(actions);
const ruled = rules.flatMap(([, { routes: files }]) => files);

describe('every route', () => {
  it.each(routes.map(({ file }) => file))('%s has an action or a reason to have none', (file) => {
    const [area = ''] = file.split('/');
    const places = [
      ...ruled.filter((one) => one === file),
      ...[routesWithoutTools[file], areasWithoutTools[area]].filter((reason) => reason !== undefined),
    ];

    expect(places, `give ${file} an action in domain/policy/actions.ts, or a reason here`).toHaveLength(1);
  });

  it('that a table names exists', () => {
    const known = routes.map(({ file }) => file);
    for (const file of [...ruled, ...Object.keys(routesWithoutTools)]) expect(known).toContain(file);
  });

  it.each(rules)('of %s asks for the capability of the action', (_action, { routes: files, capability }) => {
    for (const { file, auth } of routes.filter(({ file }) => files.includes(file))) {
      const asks = auth.kind === 'capability' ? auth.capability : auth.kind === 'session' && auth.owns;
      expect([capability, 'workspace'], file).toContain(asks);
      if (asks === 'workspace') expect(file.startsWith('workspaces/')).toBe(true);
    }
  });

  it.each(rules)('of %s counts against the limit of the action', (_action, { routes: files, limit }) => {
    for (const row of routes.filter(({ file }) => files.includes(file)))
      expect(row.limit, row.file).toBe(limit);
  });

  it.each(ruled)('%s is called beside its tools, or by another test', (file) => {
    expect([requests[file], testedElsewhere[file]].filter(Boolean)).toHaveLength(1);
  });
});

describe('a prompt', () => {
  it('does not compile without a session that the policy allowed', () => {
    const chat = newChat(
      { chatId: 'C', projectId: 'P', userId: 'U', topic: null, workspaceId: null, taskId: null },
      new Date(),
    );
    const send = (table: Table, asked: PromptRequest) =>
      // @ts-expect-error: nobody asked the policy whether this session may be prompted
      acceptPrompt(table, asked, { chat, now: new Date() });

    expect(send).toBeInstanceOf(Function);
  });
});

describe('every tool', () => {
  it.each(tools.map((one) => [one.name, one] as const))('%s names the actions it equals', (_name, one) => {
    const { policy, isReadOnly } = one;
    if (policy.equals === 'none') {
      expect(policy.reason.length).toBeGreaterThan(20);
      expect(isReadOnly ? ['task:read', 'task:write'] : ['task:write']).toContain(policy.capability);
      return;
    }
    const writes = policy.equals.some((action) => actions[action].capability.endsWith(':write'));
    expect(writes, 'what changes something asks for the right to write').toBe(!isReadOnly);
  });

  it('does not compile without a policy', () => {
    const nameless = { name: 'x', description: 'x', args: z.strictObject({}), handle: async () => ({}) };

    // @ts-expect-error: it names no HTTP action that it equals
    const built = tool(nameless);

    expect(built.policy).toBeUndefined();
  });
});
