import type { IncomingHttpHeaders } from 'node:http';
import type { RequestHeaders, TokenChecks } from '../auth/token-checks.js';
import { isManagement } from '../auth/workspace-caller.js';
import { AgentError } from '../errors.js';
import type { Workspaces } from '../workspaces/workspaces.js';
import type { PlatformCredentials } from './platform-credentials.js';
import type { PreviewSessions } from './preview-sessions.js';

export interface PreviewAuthContext {
  readonly tokens: TokenChecks;
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
  /** The port that the host names; null on the path form. */
  readonly ownPort: number | null;
  readonly query: string;
}

/**
 * Authenticates a preview request: by the preview cookie, by a terminal token as bearer or query
 * parameter, or by a management token that names the workspace.
 * @throws AgentError unauthorized, forbidden; not_found or invalid_transition when the workspace
 * does not run
 */

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: the three ways to authenticate, in their order
export async function previewCaller(
  call: PreviewCall,
  admission: PreviewAuthContext,
): Promise<PreviewCaller> {
  const { tokens, workspaces, sessions, credentials } = admission;
  const { workspaceId, ownPort, headers, query } = call;
  const bearer = credentials.bearer(headers.authorization);
  const queryToken = credentials.inQuery(query);
  const session = cookieSession(call, admission);
  if (session) {
    if (isCookieAccepted(call)) return { sessionHash: session.sessionHash, cookie: null };
    if (bearer === null && queryToken === null)
      throw new AgentError(
        'forbidden',
        'A page of another origin used the cookie of this preview. Open the preview directly, or pass a token',
      );
  }
  // An Authorization header of the service itself does not authenticate the caller.
  const presented: RequestHeaders = { ...headers, authorization: bearer ? `Bearer ${bearer}` : undefined };
  if (isManagement(presented.authorization)) {
    await tokens.workspace(presented, workspaceId);
    workspaces.running(workspaceId);
    return { sessionHash: null, cookie: null };
  }
  const claims = await tokens.terminal(presented, queryToken);
  if (claims.workspace !== workspaceId)
    throw new AgentError('forbidden', 'The token is not for this workspace');
  const { generation } = workspaces.running(workspaceId);
  if (generation !== claims.generation)
    throw new AgentError('forbidden', 'The token is for another generation of the workspace');
  const person = { workspaceId, ownPort, generation, userId: claims.sub, sessionHash: claims.session };
  return { sessionHash: claims.session, cookie: sessions.open(person) };
}

/** The cookie is valid for one generation of the workspace only. */
function cookieSession(call: PreviewCall, { sessions, workspaces }: PreviewAuthContext) {
  const { headers, workspaceId } = call;
  const session = sessions.of(headers.cookie, call);
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
