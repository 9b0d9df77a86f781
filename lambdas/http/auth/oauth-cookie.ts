import { oauthStateLifetimeSeconds } from '../../domain/sessions/oauth-state.js';

/**
 * Binds a sign-in to the browser that began it. SameSite=Lax lets it come along on the code host's
 * redirect.
 */
export const oauthCookieName = '__Host-berth_oauth';

const attributes = 'Path=/; Secure; HttpOnly; SameSite=Lax';

export const oauthCookie = (browser: string): string =>
  `${oauthCookieName}=${browser}; Max-Age=${oauthStateLifetimeSeconds}; ${attributes}`;

export const clearedOauthCookie = `${oauthCookieName}=; Max-Age=0; ${attributes}`;

export const callbackUri = (publicUrl: string): string =>
  new URL('/api/auth/callback/github', publicUrl).href;
