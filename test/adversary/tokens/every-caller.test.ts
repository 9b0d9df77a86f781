import { beforeAll, describe, expect, it } from 'vitest';
import { sessionCookieName } from '../../../lambdas/edge/cookies.js';
import { socketAuthorizer } from '../../../lambdas/edge/socket-authorizer.js';
import type { Authorisation } from '../../../lambdas/route-row.js';
import { routes } from '../../../lambdas/routes.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { fromCloudFront, lambdaContext, type TestRequest } from '../../support/invoke.js';
import { TwoMembers } from '../equivalence/two-members.js';
import { type Proof, proofs } from './proofs.js';
import { ids } from './token-rows.js';

// One route per kind of caller, and the live socket, with every proof in every request field.

interface Caller {
  readonly file: string;
  readonly takes: readonly string[];
  readonly request?: TestRequest;
}

const { node: nodeId, workspace: workspaceId } = ids;
const rpc = { jsonrpc: '2.0', id: 1, method: 'ping' };

/** The type requires a row for each kind. Routes with their own proof: every-proof.test.ts. */
const callers: Readonly<Record<Exclude<Authorisation['kind'], 'public' | 'own'>, Caller>> = {
  session: { file: 'projects/list', takes: ['session'] },
  capability: { file: 'tasks/list', takes: ['session'] },
  superadmin: { file: 'credentials/list-of-platform', takes: [] },
  nodeCallback: {
    ...{ file: 'callbacks/node-heartbeat', takes: ['nodeCallback'] },
    request: { params: { nodeId }, body: { agentVersion: '1', activeWorkspaces: 0 } },
  },
  workspaceCallback: {
    ...{ file: 'callbacks/workspace-runtime', takes: ['workspaceCallback'] },
    request: { params: { workspaceId } },
  },
  agentCallback: {
    ...{ file: 'callbacks/agent-activity', takes: ['workspaceCallback'] },
    request: {
      params: { sessionId: newId() },
      body: { activity: 'idle', restartCount: 0, nodeId, workspaceId, generation: 1 },
    },
  },
  anyCallback: {
    ...{ file: 'callbacks/node-acp-heartbeat', takes: ['nodeCallback', 'workspaceCallback'] },
    request: { body: { nodeId } },
  },
  mcp: { file: 'mcp/call', takes: ['mcp'], request: { body: rpc } },
};

let two: TwoMembers;
let all: Readonly<Record<string, Proof>>;

beforeAll(async () => {
  two = await TwoMembers.load(Object.values(callers).map(({ file }) => file));
  all = await proofs(two);
});

/** Where a request can carry a text that is looked at. */
const places = (value: string): Readonly<Record<string, TestRequest>> => ({
  'as bearer': { headers: { authorization: `Bearer ${value}` } },
  'as bearer in small letters': { headers: { authorization: `bearer ${value}` } },
  'as the whole header': { headers: { authorization: value } },
  'as basic': { headers: { authorization: `Basic ${Buffer.from(`x:${value}`).toString('base64')}` } },
  'as two bearers': { headers: { authorization: `Bearer x, Bearer ${value}` } },
  'as cookie': { cookies: [`${sessionCookieName}=${value}`] },
  'as cookie of another case': { cookies: [`${sessionCookieName.toLowerCase()}=${value}`] },
  'as cookie without its prefix': { cookies: [`berth_session=${value}`] },
  'as the cookie of the sign-in': { cookies: [`__Host-berth_oauth=${value}`] },
  'in the address': { query: { token: value } },
  'in a header of its own': { headers: { 'x-svc-vm-forward-token': value, 'x-api-key': value } },
});

const ownPlaces: Readonly<Record<string, readonly string[]>> = {
  session: ['as cookie'],
  token: ['as bearer', 'as bearer in small letters'],
};

async function statusesOf({ file, request }: Caller, value: string) {
  const { params, ...more } = request ?? {};
  const { projectId } = two.project;
  const entries = Object.entries(places(value)).map(async ([place, presented]) => {
    const reply = await two.plain(file, { params: { projectId, ...params }, ...more, ...presented });
    return [place, reply.status] as const;
  });
  return Promise.all(entries);
}

it('every kind of caller has a row', () => {
  const kinds = new Set(routes.map(({ auth }) => auth.kind));
  expect([...kinds].filter((kind) => kind !== 'public' && kind !== 'own').toSorted()).toEqual(
    Object.keys(callers).toSorted(),
  );
});

describe.each(Object.entries(callers))('a route for %s', (_kind, caller) => {
  it('refuses a proof of another kind in every place of the request', async () => {
    for (const [name, { value }] of Object.entries(all)) {
      if (caller.takes.includes(name)) continue;
      // A superadmin is asked for after the session, which is good.
      const refused = caller.takes.length === 0 && name === 'session' ? [401, 403] : [401];
      for (const [place, status] of await statusesOf(caller, value))
        expect(refused, `${name} ${place} was answered ${status}`).toContain(status);
    }
  });

  it('looks for its proof in one place', async () => {
    for (const name of caller.takes) {
      const right = ownPlaces[name === 'session' ? 'session' : 'token'] ?? [];
      for (const [place, status] of await statusesOf(caller, all[name]?.value ?? ''))
        if (right.includes(place)) expect(status, `${name} ${place}`).not.toBe(401);
        else expect(status, `${name} ${place}`).toBe(401);
    }
  });
});

it('the live socket takes the cookie of a session and nothing else', async () => {
  const authorize = socketAuthorizer();
  const methodArn = 'arn:aws:execute-api:us-east-1:000000000000:api/live/$connect';
  const allowed: string[] = [];
  for (const [name, { value }] of Object.entries(all))
    for (const [place, { headers = {}, cookies = [] }] of Object.entries(places(value))) {
      const event = { headers: { ...fromCloudFront(), ...headers, cookie: cookies.join('; ') }, methodArn };
      const { policyDocument } = await authorize(event, lambdaContext);
      if (policyDocument.Statement[0]?.Effect === 'Allow') allowed.push(`${name} ${place}`);
    }

  expect(allowed).toEqual(['session as cookie']);
});
