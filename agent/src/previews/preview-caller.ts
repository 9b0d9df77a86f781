import type { IncomingHttpHeaders } from 'node:http';
import type { TerminalClaims } from '../../../protocol/tokens.js';
import type { RequestHeaders, TokenChecks } from '../auth/token-checks.js';
import type { UsedTokens } from '../auth/used-tokens.js';
import { isManagement } from '../auth/workspace-caller.js';
import { AgentError } from '../errors.js';
import type { Workspaces } from '../workspaces/workspaces.js';
import type { PlatformCredentials } from './platform-credentials.js';
import type { PreviewSessions } from './preview-sessions.js';

export interface PreviewAuthContext {
  readonly tokens: TokenChecks;
  readonly usedTokens: UsedTokens;
  readonly workspaces: Workspaces;
  readonly sessions: PreviewSessions;
  readonly credentials: PlatformCredentials;
}

export interface PreviewCaller {
  /** Hash of the sign-in session that ends the exchange; null for the control plane. */
  readonly sessionHash: string | null;
  /** Cookie for the answer, so that the page can fetch its resources. */
  readonly cookie: string | null;
}

export interface PreviewCall extends BrowserRequest {
  readonly workspaceId: string;
  /** Null when the address has no valid port. */
  readonly port: number | null;
  readonly isOwnHost: boolean;
  readonly query: string;
}

/**
 * Authenticates a preview request: by the preview cookie, by a terminal token or a management token
 * of the workspace as bearer, or for a navigation by a preview token in the address. The address of
 * a navigation is visible to a service worker of the page, so no other token is accepted there.
 * @throws AgentError unauthorized, forbidden; not_found or invalid_transition when the workspace
 * does not run
 */
export async function previewCaller(
  call: PreviewCall,
  admission: PreviewAuthContext,
): Promise<PreviewCaller> {
  const token = isNavigation(call) ? admission.credentials.inQuery(call.query) : null;
  if (token === null) return callerWithoutQuery(call, admission);
  try {
    return await openByToken(call, token, admission);
  } catch (error) {
    // The browser that repeats a navigation has the cookie of its first use.
    return callerWithoutQuery(call, admission).catch(() => {
      throw error;
    });
  }
}

/** A preview token only sets the cookie: the caller removes the token by a redirect. */
async function openByToken(call: PreviewCall, token: string, admission: PreviewAuthContext) {
  const claims = await admission.tokens.preview(call.headers, token, call);
  checkGeneration(claims, admission);
  // Last, so that a refused request leaves the token valid.
  if (!admission.usedTokens.use(claims.jti))
    throw new AgentError('unauthorized', 'The token was used before. Open the port again from the console');
  return callerOf(claims, call, admission);
}

async function callerWithoutQuery(call: PreviewCall, admission: PreviewAuthContext): Promise<PreviewCaller> {
  const { tokens, workspaces, credentials } = admission;
  const { workspaceId, headers } = call;
  const bearer = credentials.bearer(headers.authorization);
  const session = cookieSession(call, admission);
  if (session && isCookieAccepted(call)) return { sessionHash: session.sessionHash, cookie: null };
  if (bearer === null) throw session ? foreignPage() : noToken();
  // An Authorization header of the service itself does not authenticate the caller.
  const presented: RequestHeaders = { ...headers, authorization: `Bearer ${bearer}` };
  if (isManagement(presented.authorization)) {
    await tokens.workspace(presented, workspaceId);
    workspaces.running(workspaceId);
    return { sessionHash: null, cookie: null };
  }
  const claims = await tokens.terminal(presented, null);
  if (claims.workspace !== workspaceId)
    throw new AgentError('forbidden', 'The token is not for this workspace');
  checkGeneration(claims, admission);
  return callerOf(claims, call, admission);
}

const foreignPage = () =>
  new AgentError(
    'forbidden',
    'A page of another origin used the cookie of this preview. Open the preview directly, or pass a token',
  );
const noToken = () =>
  new AgentError(
    'unauthorized',
    'Open the port from the console, or pass a terminal token as bearer token. The address takes preview tokens of navigations only',
  );

type PersonClaims = Pick<TerminalClaims, 'workspace' | 'generation' | 'sub' | 'session'>;

/** @throws AgentError also when the workspace does not run */
function checkGeneration({ workspace, generation }: PersonClaims, { workspaces }: PreviewAuthContext): void {
  if (workspaces.running(workspace).generation !== generation)
    throw new AgentError('forbidden', 'The token is for another generation of the workspace');
}

function callerOf(
  { generation, sub: userId, session: sessionHash }: PersonClaims,
  { workspaceId, port, isOwnHost }: PreviewCall,
  { sessions }: PreviewAuthContext,
): PreviewCaller {
  if (port === null) return { sessionHash, cookie: null };
  return {
    sessionHash,
    cookie: sessions.open({ workspaceId, port, isOwnHost, generation, userId, sessionHash }),
  };
}

/** The cookie is valid for one generation of the workspace only. */
function cookieSession(call: PreviewCall, { sessions, workspaces }: PreviewAuthContext) {
  const { headers, workspaceId, port, isOwnHost } = call;
  const session = port === null ? null : sessions.of(headers.cookie, { workspaceId, port, isOwnHost });
  return session && workspaces.running(workspaceId).generation === session.generation ? session : null;
}

export interface BrowserRequest {
  readonly method: string;
  readonly isUpgrade: boolean;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Whether a request may be authenticated by the cookie alone (protection against CSRF): pages of
 * this origin may do everything, other pages may only navigate here. Requests without browser
 * headers are accepted.
 */
export function isCookieAccepted({ method, isUpgrade, headers }: BrowserRequest): boolean {
  const isReading = !isUpgrade && (method === 'GET' || method === 'HEAD');
  if (headers.origin !== undefined && !isOwnOrigin(headers)) return false;
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return true;
  return isReading && headers['sec-fetch-mode'] === 'navigate';
}

/** The scheme is not compared: behind a proxy it may differ from the browser's. */
export function isOwnOrigin({ origin, host }: IncomingHttpHeaders): boolean {
  return host !== undefined && URL.parse(origin ?? '')?.host === host.toLowerCase();
}

/** Whether a browser navigates to a page, as opposed to a fetch of a page or program. */
export function isNavigation({ method, isUpgrade, headers }: BrowserRequest): boolean {
  if (isUpgrade || (method !== 'GET' && method !== 'HEAD')) return false;
  const mode = headers['sec-fetch-mode'];
  return mode === undefined ? (headers.accept ?? '').includes('text/html') : mode === 'navigate';
}
