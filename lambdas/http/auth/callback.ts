// GET /api/auth/callback/{provider}
// Authorised by its own proof: the one-use state of the sign-in, bound to the browser that began it.
import * as z from 'zod/mini';
import { listInstallations } from '../../domain/code-host/list-installations.js';
import { exchangeCode, type GrantedTokens } from '../../domain/code-host/oauth.js';
import { sealGrant } from '../../domain/code-host/open-user-token.js';
import { readProfile } from '../../domain/code-host/read-profile.js';
import { endSessions } from '../../domain/sessions/end-sessions.js';
import { newSession } from '../../domain/sessions/new-session.js';
import { takeOauthState } from '../../domain/sessions/oauth-state.js';
import { hashSessionSecret } from '../../domain/sessions/session.js';
import { completeSignIn, SignInOutdated, userOf } from '../../domain/users/complete-sign-in.js';
import { findByProfile } from '../../domain/users/find-by-profile.js';
import { readSuperadmins } from '../../domain/users/superadmins.js';
import { codeHost } from '../../edge/code-host.js';
import { ownRoute } from '../../edge/own-route.js';
import { secretBox } from '../../edge/secret-box.js';
import { sessionCookie, sessionCookieName } from '../../edge/session-cookie.js';
import { readEnv } from '../../shared/env.js';
import { DomainError, Forbidden, InvalidRequest } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { callback } from './contract.js';
import { callbackUri, clearedOauthCookie, oauthCookieName } from './oauth-cookie.js';

const env = readEnv({ PUBLIC_URL: z.url(), SUPERADMINS: z._default(z.string(), '') });
const superadmins = readSuperadmins(env.SUPERADMINS);

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
    const secret = await openSession(table, tokens, { newUserId: newId(), replaced, now });
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
  CODE_HOST_UNAVAILABLE: 'code_host_unavailable',
  CODE_HOST_ACCESS_LOST: 'code_host_refused',
};
const reasonOf = ({ code }: DomainError): string => reasons[code] ?? 'sign_in_failed';

interface Newcomer {
  readonly newUserId: string;
  /** The secret of the session that this browser has so far. */
  readonly replaced: string | undefined;
  readonly now: Date;
}

/** Opens a session for whom the code host says it is. A race with another first sign-in is looked at once more. */
async function openSession(table: Table, tokens: GrantedTokens, newcomer: Newcomer): Promise<string> {
  const [profile, visible] = await Promise.all([
    readProfile(codeHost, tokens.accessToken),
    listInstallations(codeHost, tokens.accessToken),
  ]);
  const attempt = async () => {
    const found = await findByProfile(table, profile.id);
    const user = userOf(found, profile, { ...newcomer, superadmins });
    if (user.status === 'suspended') throw new InvalidRequest('Suspended', [], 'ACCOUNT_SUSPENDED');
    const { now } = newcomer;
    const replaced = newcomer.replaced ? hashSessionSecret(newcomer.replaced) : undefined;
    const { secret, session } = newSession(user, now);
    // Versions of one grant only grow, and time does too.
    const grant = await sealGrant(secretBox, { userId: user.userId, version: now.getTime(), now }, tokens);
    // Sessions copy the role: should this fail half-way, they have ended for nothing, which a sign-in mends.
    if (found.user && found.user.role !== user.role) await endSessions(table, user.userId);
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
