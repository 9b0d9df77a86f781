// POST /api/auth/sign-in/social
import { generateRandomCodeVerifier, generateRandomState } from 'oauth4webapi';
import * as z from 'zod/mini';
import { authorizeUrl } from '../../domain/code-host/oauth.js';
import { putOauthState } from '../../domain/sessions/oauth-state.js';
import { limitedPublicRoute } from '../../edge/anonymous-routes.js';
import { codeHost } from '../../edge/code-host.js';
import { readEnv } from '../../shared/env.js';
import { signIn } from './contract.js';
import { callbackUri, oauthCookie, oauthCookieName } from './oauth-cookie.js';

const env = readEnv({ PUBLIC_URL: z.url() });

export const handler = limitedPublicRoute(signIn, async ({ body, request, table, now }) => {
  // Two tabs share the browser's cookie, so that one does not spoil the other's sign-in.
  const known = request.cookies.get(oauthCookieName);
  const browser = known && /^[\w-]{43}$/.test(known) ? known : generateRandomState();
  const begun = {
    state: generateRandomState(),
    codeVerifier: generateRandomCodeVerifier(),
    browser,
    callbackPath: body.callbackURL,
  };
  const url = await authorizeUrl(codeHost, { ...begun, redirectUri: callbackUri(env.PUBLIC_URL) });
  await putOauthState(table, begun, now);

  const cookies = [oauthCookie(browser)];
  if (!asksForPage(request.header)) return { cookies, status: 200, body: { url, redirect: true } };
  return { cookies, status: 303, headers: { location: url } };
});

const asksForPage = (header: (name: string) => string | undefined): boolean =>
  (header('content-type') ?? '').startsWith('application/x-www-form-urlencoded') ||
  (header('accept') ?? '').includes('text/html');
