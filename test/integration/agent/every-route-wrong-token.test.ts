import { generateKeyPairSync } from 'node:crypto';
import { request } from 'node:https';
import { generateKeyPair, SignJWT } from 'jose';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentContract, TokenKind } from '../../../agent/api/contract.js';
import { agentRows } from '../../../agent/api/contracts.js';
import { nodeId, userId } from './fake-control-plane.js';
import { StartedWorkspaces } from './started-workspaces.js';
import { workspaceRequest } from './workspace-request.js';

/**
 * Every route and socket of the agent's own table, with every kind of token that it must not take.
 */
const guarded = agentRows.filter(({ contract }) => contract.token !== 'none');

let started: StartedWorkspaces;
const good = { body: {} };
let wrong: readonly (readonly [what: string, token: string, takenBy: readonly TokenKind[]])[];

beforeAll(async () => {
  started = await StartedWorkspaces.start('standalone');
  wrong = await wrongTokens();
  // Only the request that creates a workspace names it in its body; it must be right for the token
  // to be what is wrong.
  good.body = await workspaceRequest(started.fake, started.workspaceId);
});
afterAll(() => started[Symbol.asyncDispose]());

describe.each(guarded.map(({ name, contract }) => [name, contract] as const))('%s', (_, contract) => {
  it('refuses a request without a token', async () => {
    expect(await call(contract, {})).toMatchObject({ status: 401, error: 'unauthorized' });
  });

  it('refuses every wrong token, wherever it is presented', async () => {
    for (const [what, token, takenBy] of wrong) {
      const isTaken = takenBy.includes(contract.token);
      for (const [where, presented] of Object.entries(presentations(token))) {
        // A service worker of a preview reads its address.
        if (isTaken && !(contract.token === 'preview' && where === 'in the address')) continue;
        const { status, error } = await call(contract, presented);
        expect([401, 403], `${what} ${where} was answered ${status}`).toContain(status);
        expect(['unauthorized', 'forbidden']).toContain(error);
      }
    }
  });
});

it('has changed nothing by all that', async () => {
  const { agent, fake, workspaceId } = started;
  const { body } = await agent.call('GET', '/workspaces', await fake.management());
  expect(body.workspaces).toMatchObject([{ workspaceId, status: 'running', sessions: 0 }]);
});

interface Presented {
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
}

const presentations = (token: string): Readonly<Record<string, Presented>> => ({
  'as bearer': { headers: { authorization: `Bearer ${token}` } },
  'in the address': { query: token },
  'in the header of forwarding': { headers: { 'x-svc-vm-forward-token': token } },
  'as a cookie': {
    headers: { cookie: `vm_session=${token}; __Host-vm_session_${started.workspaceId}_8000=${token}` },
  },
});

async function call(contract: AgentContract, { headers = {}, query }: Presented) {
  const isSocket = 101 in contract.responses;
  const path = contract.path
    .replace('{workspaceId}', started.workspaceId)
    .replace('{port}', '8000')
    .replace('{path}', 'x')
    .replace(/\{\w+\}/g, 'some-id');
  const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
  const sent = request({
    host: '127.0.0.1',
    port: started.agent.port,
    method: contract.method === 'any' ? 'GET' : contract.method.toUpperCase(),
    path: query === undefined ? path : `${path}?token=${query}`,
    ca: started.agent.certificate(),
    headers: {
      ...(isSocket ? { ...upgrade, 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==' } : {}),
      // What has a body is asked with one that is fine as JSON: who asks is checked before what is
      // asked.
      ...(contract.body ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
  });
  return new Promise<{ readonly status: number; readonly error: unknown }>((resolve, reject) => {
    sent.on('error', reject);
    sent.on('upgrade', (_, socket) => {
      socket.destroy();
      resolve({ status: 101, error: null });
    });
    sent.on('response', (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => {
        text += chunk;
      });
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, error: text ? JSON.parse(text).error : null });
      });
    });
    sent.end(contract.body ? JSON.stringify(good.body) : undefined);
  });
}

async function wrongTokens() {
  const { fake, workspaceId } = started;
  const terminal = { workspace: workspaceId };
  const management = { aud: 'node-management', sub: 'control-plane', node: nodeId };
  const person = await fake.terminalOf(terminal);
  const goodNode = await fake.management();
  const foreignKey = (await generateKeyPair('Ed25519')).privateKey;
  const claims = {
    iss: fake.url,
    sub: userId,
    workspace: workspaceId,
    node: nodeId,
    generation: 1,
    session: 's',
  };
  const forge = (aud: string, more: object = {}) =>
    new SignJWT({ ...claims, aud, ...more })
      .setProtectedHeader({ alg: 'EdDSA', kid: 'one' })
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(foreignKey);
  const unsigned = (token: string) => {
    const header = Buffer.from(JSON.stringify({ alg: 'none', kid: 'one' })).toString('base64url');
    return `${header}.${token.split('.')[1]}.`;
  };
  const flipped = (token: string) => {
    const [header, payload, signature = ''] = token.split('.');
    return `${header}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
  };
  const none: readonly TokenKind[] = [];
  return [
    ['nonsense', 'x'.repeat(64), none],
    ['a person’s token that has expired', await fake.terminalOf(terminal, '-1m'), none],
    // A socket takes its workspace from the token, so there it is one that is not here.
    ['a person’s token for another workspace', await fake.terminalOf({ workspace: ulid() }), ['terminal']],
    ['a person’s token for another node', await fake.terminalOf({ ...terminal, node: ulid() }), none],
    ['a person’s token for another generation', await fake.terminalOf({ ...terminal, generation: 2 }), none],
    [
      'a person’s token of another issuer',
      await fake.terminalOf({ ...terminal, iss: 'https://else.example' }),
      none,
    ],
    ['a person’s token', person, ['workspace', 'transfer', 'terminal', 'preview']],
    ['a preview token without a navigation', await fake.preview(workspaceId, 8000), none],
    [
      'a transfer token for another file',
      await fake.terminalOf({ ...terminal, aud: 'workspace-transfer', transfer: 'raw', path: 'other' }),
      none,
    ],
    ['the node’s management token', goodNode, ['node', 'diagnostics']],
    ['the node’s management token that has expired', await fake.sign(management, '-1m'), none],
    ['a management token for another node', await fake.sign({ ...management, node: ulid() }), none],
    [
      'a management token for the workspace',
      await fake.management(workspaceId),
      ['management', 'workspace', 'transfer', 'preview'],
    ],
    ['a management token for another workspace', await fake.management(ulid()), none],
    ['a callback token of the workspace', await fake.workspaceCallback(workspaceId), none],
    ['a callback token of the node', await fake.sign({ aud: 'node-callback', sub: nodeId }), none],
    ['a forged person’s token', await forge('workspace-terminal'), none],
    ['a forged management token', await forge('node-management'), none],
    ['a forged node-scoped token', await forge('node-management', { workspace: undefined }), none],
    ['a forged forwarding token', await forge('local-forward', { mode: 'http', remotePort: 8000 }), none],
    ['a token without a signature', unsigned(person), none],
    ['a management token without a signature', unsigned(goodNode), none],
    ['a token with another signature', flipped(person), none],
    ['a management token with another signature', flipped(goodNode), none],
    ['a token that brings its own key', await withOwnKey({ ...claims, aud: 'workspace-terminal' }), none],
  ] as const;
}

async function withOwnKey(claims: Readonly<Record<string, unknown>>): Promise<string> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const jwk = publicKey.export({ format: 'jwk' });
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'EdDSA', jwk })
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey);
}
