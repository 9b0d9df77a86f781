// GET /api/auth/callback/{provider}
// Authorised by its own proof: the one-use state of the sign-in, bound to the browser that began
// it.
import * as z from 'zod/mini';
import { exchangeCode, type GrantedTokens } from '../../domain/code-host/oauth.js';
import { sealGrant } from '../../domain/code-host/open-user-token.js';
import { type CodeHostProfile, readProfile } from '../../domain/code-host/read-profile.js';
import { listInstallations } from '../../domain/code-host/visible-repositories.js';
import { clientName } from '../../domain/sessions/client-name.js';
import { takeOauthState } from '../../domain/sessions/oauth-state.js';
import { hashSessionSecret, newSession, userOfSecret } from '../../domain/sessions/session.js';
import { completeSignIn, SignInOutdated, userOf } from '../../domain/users/complete-sign-in.js';
import { endAccess } from '../../domain/users/end-access.js';
import { accountSuspended, signInNotAllowed } from '../../domain/users/errors.js';
import { findByProfile } from '../../domain/users/find-user.js';
import { isAdmitted, readSignInPolicy, signInPolicyEnv } from '../../domain/users/sign-in-policy.js';
import { ownRoute } from '../../edge/anonymous-routes.js';
import { codeHost } from '../../edge/code-host.js';
import { sessionCookie, sessionCookieName } from '../../edge/cookies.js';
import { secretBox } from '../../edge/secret-box.js';
import { readEnv } from '../../shared/env.js';
import { DomainError, Forbidden } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { callback } from './contract.js';
import { callbackUri, clearedOauthCookie, oauthCookieName } from './oauth-cookie.js';

const env = readEnv({ PUBLIC_URL: z.url(), ...signInPolicyEnv });
const policy = readSignInPolicy(env);
const { superadmins } = policy;

export const handler = ownRoute(callback, async ({ query, request, table, now, newId, log }) => {
  try {
    const state = query.state ?? '';
    const browser = request.cookies.get(oauthCookieName) ?? '';
    const begun = await takeOauthState(table, { state, browser, now });
    if (query.error !== undefined) throw new Forbidden(`The code host answered ${query.error}`);

    const tokens = await exchangeCode(codeHost, {
      parameters: new URLSearchParams({ state, code: query.code ?? '' }),
      redirectUri: callbackUri(env.PUBLIC_URL),
      state,
      codeVerifier: begun.codeVerifier,
    });
    const replaced = request.cookies.get(sessionCookieName);
    const client = clientName(request.header('user-agent'));
    const secret = await openSession(table, tokens, { newUserId: newId(), replaced, client, now });
    log.info('Signed in', { userId: userOfSecret(secret) });
    return redirect(begun.callbackPath, [sessionCookie(secret), clearedOauthCookie]);
  } catch (error) {
    // A browser stands here, not a program: it is sent to a page that can say what happened.
    if (!(error instanceof DomainError)) throw error;
    log.info('Sign-in refused', { code: error.code, cause: error.cause });
    return redirect(`/?error=${reasonOf(error)}`, [clearedOauthCookie]);
  }
});

const redirect = (location: string, cookies: readonly string[]) =>
  ({ status: 302, headers: { location }, cookies }) as const;

const reasons: Readonly<Record<string, string>> = {
  STATE_MISMATCH: 'state_mismatch',
  FORBIDDEN: 'access_denied',
  ACCOUNT_SUSPENDED: 'account_suspended',
  SIGN_IN_NOT_ALLOWED: 'sign_in_not_allowed',
  CODE_HOST_UNAVAILABLE: 'code_host_unavailable',
  CODE_HOST_ACCESS_LOST: 'code_host_refused',
};
const reasonOf = ({ code }: DomainError): string => reasons[code] ?? 'sign_in_failed';

interface Newcomer {
  readonly newUserId: string;
  /** The secret of the session that this browser has so far. */
  readonly replaced: string | undefined;
  readonly client: string | undefined;
  readonly now: Date;
}

/**
 * Opens a session for the account that the code host names, if the policy admits it. A race with
 * another first sign-in is looked at once more.
 */
async function openSession(table: Table, tokens: GrantedTokens, newcomer: Newcomer): Promise<string> {
  const { accessToken: token } = tokens;
  const profile = await readProfile(codeHost, token);
  if (!(await isAdmitted(policy, codeHost, { account: profile, token }))) {
    await endAccessOf(table, profile, newcomer.now);
    throw signInNotAllowed();
  }
  const visible = await listInstallations(codeHost, token);
  const attempt = async () => {
    const found = await findByProfile(table, profile.id);
    const user = userOf(found, profile, { ...newcomer, superadmins });
    if (user.status !== 'active') throw accountSuspended();
    const { now } = newcomer;
    const replaced = newcomer.replaced ? hashSessionSecret(newcomer.replaced) : undefined;
    const { secret, session } = newSession({ userId: user.userId, client: newcomer.client }, now);
    // Versions of one grant only grow, and time does too.
    const grant = await sealGrant(secretBox, { userId: user.userId, version: now.getTime(), now }, tokens);
    await completeSignIn(table, { found, user, grant, session, replaced, visible, now });
    return secret;
  };
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof SignInOutdated)) throw error;
    return attempt();
  }
}

/** Of a person who signed in before and is admitted no more. For a newcomer nothing is written. */
async function endAccessOf(table: Table, { id }: CodeHostProfile, now: Date): Promise<void> {
  const { user } = await findByProfile(table, id);
  if (user?.status !== 'active') return;
  const change = { status: 'suspended', suspendedBy: 'policy' } as const;
  await endAccess(table, { userId: user.userId, change, when: { status: 'active' }, now });
}
