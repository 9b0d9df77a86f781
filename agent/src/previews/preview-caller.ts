import type { RequestHeaders, TokenChecks } from '../auth/token-checks.js';
import { isManagement } from '../auth/workspace-caller.js';
import { AgentError } from '../errors.js';
import type { Workspaces } from '../workspaces/workspaces.js';
import { type BrowserRequest, isMeantByPerson } from './browser-origin.js';
import type { OwnCredentials } from './own-credentials.js';
import type { PreviewSessions } from './preview-sessions.js';

export interface PreviewAdmission {
  readonly tokens: TokenChecks;
  readonly workspaces: Workspaces;
  readonly sessions: PreviewSessions;
  readonly credentials: OwnCredentials;
}

export interface PreviewCaller {
  /** Of the sign-in session that it ends with; null for the control plane. */
  readonly sessionHash: string | null;
  /** To be set in the answer, so that the page can fetch what belongs to it. */
  readonly cookie: string | null;
}

export interface PreviewCall extends BrowserRequest {
  readonly workspaceId: string;
  readonly query: string;
}

/**
 * Who asks for a service of the workspace: by the preview's cookie, by a workspace token as bearer or in the address,
 * or the control plane by a management token that names the workspace.
 * @throws AgentError unauthorized, forbidden; not_found or invalid_transition when the workspace does not run
 */
export async function previewCaller(call: PreviewCall, admission: PreviewAdmission): Promise<PreviewCaller> {
  const { tokens, workspaces, sessions, credentials } = admission;
  const { workspaceId, headers, query } = call;
  const bearer = credentials.bearer(headers.authorization);
  const queryToken = credentials.inQuery(query);
  const session = cookieSession(call, admission);
  if (session) {
    if (isMeantByPerson(call)) return { sessionHash: session.sessionHash, cookie: null };
    if (bearer === null && queryToken === null)
      throw new AgentError('forbidden', 'A page of another origin asks with the cookie of this one');
  }
  // A header that is the service's own says nothing about who calls.
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
  const person = { workspaceId, generation, userId: claims.sub, sessionHash: claims.session };
  return { sessionHash: claims.session, cookie: sessions.open(person) };
}

/** Only for the very life of the workspace in which it began. */
function cookieSession({ headers, workspaceId }: PreviewCall, { sessions, workspaces }: PreviewAdmission) {
  const session = sessions.of(headers.cookie, workspaceId);
  return session && workspaces.running(workspaceId).generation === session.generation ? session : null;
}
