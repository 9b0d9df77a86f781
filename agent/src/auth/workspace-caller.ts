import { decodeJwt } from 'jose';
import { audiences } from '../../../protocol/tokens.js';
import { AgentError } from '../errors.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { RequestHeaders, TokenChecks } from './token-checks.js';

export interface CallerRequest {
  readonly headers: RequestHeaders;
  /** `?token=`, for people's tokens only. */
  readonly queryToken: string | null;
  readonly workspaceId: string;
}

/**
 * Who asks about this workspace: a person by a workspace token, or the control plane by a management token that names
 * the workspace. The user's id, or null for the control plane.
 */
export async function workspaceCaller(
  tokens: TokenChecks,
  { headers, queryToken, workspaceId }: CallerRequest,
  find: (workspaceId: string) => Workspace | null,
): Promise<string | null> {
  if (isManagement(headers.authorization)) {
    await tokens.workspace(headers, workspaceId);
    return null;
  }
  const claims = await tokens.terminal(headers, queryToken);
  if (claims.workspace !== workspaceId)
    throw new AgentError('forbidden', 'The token is not for this workspace');
  const workspace = find(workspaceId);
  if (workspace && workspace.generation !== claims.generation)
    throw new AgentError('forbidden', 'The token is for another generation of the workspace');
  return claims.sub;
}

/** Looks only which check applies; that check then verifies everything. */
export function isManagement(authorization: string | string[] | undefined): boolean {
  if (typeof authorization !== 'string') return false;
  try {
    return decodeJwt(authorization.replace(/^bearer /i, '')).aud === audiences.management;
  } catch {
    return false;
  }
}
