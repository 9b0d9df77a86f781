import { createLocalJWKSet } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TokenKind as AgentTokenKind } from '../../../agent/api/contract.js';
import { agentRows } from '../../../agent/api/contracts.js';
import { TokenChecks } from '../../../agent/src/auth/token-checks.js';
import { workspaceCaller } from '../../../agent/src/auth/workspace-caller.js';
import { AgentError } from '../../../agent/src/errors.js';
import { audienceOf, type TokenKind } from '../../../lambdas/domain/tokens/issue-token.js';
import { forgedSignatures } from './forged-signatures.js';
import { type Issuer, newIssuer, signClaims } from './issuer.js';
import { notRefused } from './not-refused.js';
import { ids, issuerUrl, kindOfClaims, kinds, now, port } from './token-rows.js';
import { TrapServer } from './trap-server.js';
import { type KindOfClaims, wrongClaims } from './wrong-claims.js';

// Every kind of caller of the node agent, at the verifier that its routes use.

let issuer: Issuer;
let tokens: TokenChecks;
let trap: TrapServer;

beforeAll(async () => {
  const previous = await newIssuer();
  issuer = await newIssuer();
  const find = createLocalJWKSet({ keys: [previous.jwk, issuer.jwk] });
  tokens = new TokenChecks(
    { issuer: issuerUrl, nodeId: ids.node, now: () => now },
    { find, edition: 1 },
    { hasEnded: (hash) => hash === 'ended' },
  );
  trap = await TrapServer.start();
});
afterAll(() => trap[Symbol.asyncDispose]());

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const nobody = () => null;

interface Verifier {
  readonly verify: (token: string) => Promise<unknown>;
  /** What it takes, each with the claims without which it is another kind of token. */
  readonly takes: readonly { readonly kind: TokenKind; readonly without?: string }[];
}

const ofPerson: Verifier['takes'] = [{ kind: 'terminal' }, { kind: 'management' }];
const ofNode: Verifier['takes'] = [{ kind: 'management', without: 'workspace' }];
const asked = { transfer: 'raw', path: 'a.txt', worktree: undefined } as const;
const byBearer = (token: string) =>
  workspaceCaller(tokens, { headers: bearer(token), queryToken: null, workspaceId: ids.workspace }, nobody);
const byQuery = (token: string) => {
  const call = { headers: {}, queryToken: token, workspaceId: ids.workspace, transfer: asked };
  return workspaceCaller(tokens, call, nobody);
};

/** The type asks for a row of each new kind of caller. */
const verifiers: Readonly<Record<Exclude<AgentTokenKind, 'none'> | 'a navigation to a preview', Verifier>> = {
  node: { verify: (token) => tokens.node(bearer(token)), takes: ofNode },
  diagnostics: { verify: (token) => tokens.node({}, token), takes: ofNode },
  management: {
    verify: (token) => tokens.workspace(bearer(token), ids.workspace),
    takes: [{ kind: 'management' }],
  },
  workspace: { verify: byBearer, takes: ofPerson },
  transfer: { verify: byQuery, takes: [{ kind: 'transfer' }, { kind: 'terminal' }] },
  terminal: { verify: (token) => tokens.terminal({}, token), takes: [{ kind: 'terminal' }] },
  preview: { verify: byBearer, takes: ofPerson },
  'a navigation to a preview': {
    verify: (token) => tokens.preview({}, token, { workspaceId: ids.workspace, port }),
    takes: [{ kind: 'preview' }],
  },
  forward: {
    verify: (token) =>
      tokens.localForward({ 'x-svc-vm-forward-token': token }, { workspaceId: ids.workspace, port }),
    takes: [{ kind: 'localForward' }],
  },
};

function goodFor({ kind, without }: Verifier['takes'][number]): KindOfClaims {
  const { claims, optional, free } = kindOfClaims(kind);
  const { [without ?? '']: _, ...kept } = claims;
  return { claims: kept, free, optional: kind === 'management' ? [] : optional };
}

const isRefusal = (answer: unknown): boolean =>
  answer instanceof AgentError && ['unauthorized', 'forbidden'].includes(answer.code);

it('every kind of caller of the routes has a row', () => {
  const used = new Set(agentRows.map(({ contract }) => contract.token).filter((kind) => kind !== 'none'));

  expect(Object.keys(verifiers)).toEqual(expect.arrayContaining([...used]));
});

describe.each(Object.entries(verifiers))('a route for %s', (_name, { verify, takes }) => {
  const audiences = kinds.map(audienceOf);

  it.each(takes)('takes a good $kind token', async (taken) => {
    await expect(verify(signClaims(issuer, goodFor(taken).claims))).resolves.toBeDefined();
  });

  it.each(takes)('refuses a $kind token that the issuer has not signed', async (taken) => {
    const forged = await forgedSignatures(issuer, goodFor(taken).claims, trap.url);

    expect(await notRefused(forged, verify, isRefusal)).toEqual([]);
    expect(trap.fetched).toEqual([]);
  });

  it.each(takes)('refuses a $kind token that claims what the issuer never does', async (taken) => {
    const own = takes.map(({ kind }) => audienceOf(kind));
    const others = audiences.filter((aud) => !own.includes(aud));
    const wrong = wrongClaims(issuer, goodFor(taken), { audiences: others, now });

    expect(await notRefused(wrong, verify, isRefusal)).toEqual([]);
  });

  it('refuses every other kind of token', async () => {
    const others = kinds
      .filter((kind) => !takes.some((taken) => taken.kind === kind))
      .map((kind) => [kind, signClaims(issuer, kindOfClaims(kind).claims)] as const);

    expect(await notRefused(others, verify, isRefusal)).toEqual([]);
  });

  it.each(takes)('refuses a $kind token for another node, workspace or ended session', async (taken) => {
    const { claims } = goodFor(taken);
    const other = '01K0000000000000000000000X';
    const changes = {
      node: other,
      workspace: other,
      session: 'ended',
      remotePort: port + 1,
      port: port + 1,
      path: 'b.txt',
    };
    const isSocket = verify === verifiers.terminal.verify;
    const wrong = Object.entries(changes)
      // A terminal socket takes the workspace from its token; what is not here is not found then.
      .filter(([name]) => name in claims && !(isSocket && name === 'workspace'))
      .map(([name, value]) => [name, signClaims(issuer, { ...claims, [name]: value })] as const);

    expect(await notRefused(wrong, verify, isRefusal)).toEqual([]);
  });
});
