import type { TokenKind } from '../../../lambdas/domain/tokens/issue-token.js';
import { audiences, tokenLifetimeSeconds } from '../../../protocol/tokens.js';
import type { KindOfClaims } from './wrong-claims.js';

export const issuerUrl = 'https://berth.example.com';
export const now = new Date('2026-11-22T12:00:00.000Z');
export const ids = {
  node: '01K0000000000000000000000N',
  workspace: '01K0000000000000000000000W',
  user: '01K0000000000000000000000A',
  other: '01K0000000000000000000000X',
} as const;
export const port = 3_000;

interface Row {
  readonly own: Readonly<Record<string, unknown>>;
  readonly optional?: readonly string[];
  readonly free?: readonly string[];
}

const { node, workspace, user: sub } = ids;
const ofSession = { sub, workspace, node, generation: 1, session: 'hash-of-a-session' };

/** Good claims of every kind. The type asks for a row of each new kind. */
const rows: Readonly<Record<TokenKind, Row>> = {
  terminal: { own: ofSession, free: ['session'] },
  transfer: {
    own: { ...ofSession, transfer: 'raw', path: 'a.txt' },
    optional: ['path'],
    free: ['session', 'path'],
  },
  preview: { own: { ...ofSession, jti: '01K0000000000000000000000J', port }, free: ['session'] },
  management: {
    own: { sub: 'control-plane', node, workspace },
    optional: ['workspace'],
    free: ['sub'],
  },
  localForward: {
    own: {
      ...{ type: 'local-forward', sub, userId: sub, node, workspace, generation: 1, remotePort: port },
      ...{ mode: 'http', localAuthority: 'localhost:3000', session: 'hash-of-a-session' },
    },
    optional: ['generation', 'session'],
    free: ['session', 'localAuthority'],
  },
  nodeCallback: { own: { sub: node } },
  workspaceCallback: { own: { sub: workspace, node, generation: 1 } },
};

export const kinds = Object.keys(rows) as readonly TokenKind[];

export function kindOfClaims(kind: TokenKind): KindOfClaims {
  const { own, optional = [], free = [] } = rows[kind];
  const iat = Math.floor(now.getTime() / 1_000);
  const registered = { iss: issuerUrl, aud: audiences[kind], iat, exp: iat + tokenLifetimeSeconds[kind] };
  return { claims: { ...own, ...registered }, optional, free };
}
