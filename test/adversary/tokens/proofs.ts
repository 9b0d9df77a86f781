import { createHmac, randomBytes } from 'node:crypto';
import { PreviewSessions } from '../../../agent/src/previews/preview-sessions.js';
import { isSigned } from '../../../lambdas/domain/code-host/webhook/signature.js';
import { openCursor, sealCursor } from '../../../lambdas/domain/cursors/cursor.js';
import { verifyMcpToken } from '../../../lambdas/domain/mcp-tokens/verify-mcp-token.js';
import { acceptInvite } from '../../../lambdas/domain/members/accept-invite.js';
import { createInvite } from '../../../lambdas/domain/members/manage-invites.js';
import { issueBootstrapToken, redeemBootstrapToken } from '../../../lambdas/domain/nodes/bootstrap.js';
import { findSession } from '../../../lambdas/domain/sessions/find-session.js';
import { putOauthState, takeOauthState } from '../../../lambdas/domain/sessions/oauth-state.js';
import type { TokenKind } from '../../../lambdas/domain/tokens/issue-token.js';
import { issueToken } from '../../../lambdas/domain/tokens/issue-token.js';
import { verifyToken } from '../../../lambdas/domain/tokens/verify-token.js';
import { sessionCookieName } from '../../../lambdas/edge/cookies.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { signingKeys } from '../../support/wrong-tokens.js';
import type { TwoMembers } from '../equivalence/two-members.js';
import { ids, kindOfClaims, kinds, port } from './token-rows.js';

/** What somebody holds to prove something, and who takes it. */
export interface Proof {
  readonly value: string;
  /** One that is as good, of somebody else. */
  readonly other: string;
  /** Resolves to undefined or throws for an invalid proof. Has no effect on later attempts. */
  readonly verify: (value: string) => Promise<unknown>;
}

const random = () => randomBytes(32).toString('base64url');

/** Every kind of proof of the system, each of Alice's beside one of Bob's. */
export async function proofs(two: TwoMembers): Promise<Readonly<Record<string, Proof>>> {
  return {
    ...(await signedTokens()),
    session: sessions(two),
    mcp: mcpTokens(two),
    invite: await invites(two),
    bootstrap: await bootstraps(two),
    'oauth state': await oauthStates(two),
    cursor: cursors(),
    'preview cookie': previewCookies(),
    'webhook signature': webhookSignatures(),
  };
}

async function signedTokens(): Promise<Readonly<Record<TokenKind, Proof>>> {
  const keys = signingKeys();
  const entries = kinds.map(async (kind) => {
    const now = new Date();
    const { iss: _iss, aud: _aud, iat: _iat, exp: _exp, ...claims } = kindOfClaims(kind).claims;
    const issued = async (own: object) =>
      // The rows are typed by the same table of kinds.
      (await issueToken(keys, kind, { claims: own as never, now })).token;
    const verify = (token: string) => verifyToken(keys, kind, { token, now });
    const other = { ...claims, sub: ids.other, ...('userId' in claims ? { userId: ids.other } : {}) };
    return [kind, { value: await issued(claims), other: await issued(other), verify }] as const;
  });
  // One entry of each kind.
  return Object.fromEntries(await Promise.all(entries)) as Record<TokenKind, Proof>;
}

function sessions({ table, alice, bob }: TwoMembers): Proof {
  const secretOf = ({ cookie }: { readonly cookie: string }) => cookie.slice(sessionCookieName.length + 1);
  const verify = async (secret: string) => (await findSession(table, { secret, now: new Date() }))?.session;
  return { value: secretOf(alice), other: secretOf(bob), verify };
}

function mcpTokens({ table, alice, bob }: TwoMembers): Proof {
  const verify = (secret: string) => verifyMcpToken(table, { secret, now: new Date() });
  return { value: alice.agent.secret, other: bob.agent.secret, verify };
}

async function invites(two: TwoMembers): Promise<Proof> {
  const { table, project, alice } = two;
  const { projectId } = project;
  // An invitation is good as long as its author may still invite.
  await two.putMember(alice, { role: 'owner' });
  const now = new Date();
  const made = async () => {
    const draft = { inviteId: newId(), projectId, role: 'viewer', createdBy: alice.userId } as const;
    return (await createInvite(table, { ...draft, days: 1 }, now)).token;
  };
  // Each attempt is of a newcomer, so that a good one is taken.
  const verify = (token: string) => acceptInvite(table, { token, userId: newId(), now: new Date() });
  return { value: await made(), other: await made(), verify };
}

async function bootstraps({ table }: TwoMembers): Promise<Proof> {
  const nodeId = newId();
  const now = new Date();
  const redemptionId = random();
  const made = async (of: string) => {
    const token = random();
    await issueBootstrapToken(table, { nodeId: of, launchedFor: newId(), token, now });
    return token;
  };
  // The same redemption may be repeated, so that a good one is taken at the end too.
  const verify = (token: string) => redeemBootstrapToken(table, { nodeId, token, redemptionId }, new Date());
  return { value: await made(nodeId), other: await made(newId()), verify };
}

async function oauthStates({ table }: TwoMembers): Promise<Proof> {
  const now = new Date();
  const browser = random();
  const made = async (of: string) => {
    const state = random();
    await putOauthState(table, { state, browser: of, codeVerifier: random(), callbackPath: '/' }, now);
    return state;
  };
  const verify = (state: string) => takeOauthState(table, { state, browser, now: new Date() });
  return { value: await made(browser), other: await made(random()), verify };
}

function cursors(): Proof {
  const position = { pk: 'PROJECT#1', sk: 'TASK#1' };
  const scope = { cursorKey: random(), query: 'tasks' };
  const verify = async (cursor: string) => openCursor(scope, cursor);
  return {
    value: sealCursor(scope, position),
    other: sealCursor({ ...scope, cursorKey: random() }, position),
    verify,
  };
}

function webhookSignatures(): Proof {
  const body = Buffer.from('{"action":"completed"}');
  const [current, foreign] = [random(), random()];
  const sign = (secret: string) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const verify = async (signature: string) => isSigned(body, signature, { current, previous: '' }) || null;
  return { value: sign(current), other: sign(foreign), verify };
}

function previewCookies(): Proof {
  const ends = { onEnd: () => () => undefined, hasEnded: () => false };
  const kept = new PreviewSessions({ lifetimeMs: 60_000, limit: 10 }, ends, Date.now);
  const { workspace: workspaceId } = ids;
  const here = { workspaceId, port, isOwnHost: false };
  const valueFor = (of: string) => {
    const person = { generation: 1, userId: ids.user, sessionHash: 's' };
    const session = { ...here, ...person, workspaceId: of };
    return String(kept.open(session)).replace(/^[^=]*=([^;]*);.*$/, '$1');
  };
  // Node refuses a header with a line break before the agent sees it.
  const verify = async (value: string) =>
    value.includes('\n') ? null : kept.of(`${PreviewSessions.cookieName(here)}=${value}`, here);
  return { value: valueFor(workspaceId), other: valueFor(ids.other), verify };
}
