import { decodeJwt } from 'jose';
import { audiences } from '../../../protocol/tokens.js';
import { AgentError } from '../errors.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { RequestedTransfer, RequestHeaders, TokenChecks } from './token-checks.js';

export interface CallerRequest {
  readonly headers: RequestHeaders;
  /** From `?token=`, which only people may use. */
  readonly queryToken: string | null;
  readonly workspaceId: string;
  /** Set on routes that accept a transfer token. */
  readonly transfer?: RequestedTransfer | undefined;
}

/**
 * Authenticates a caller of this workspace: a person by a terminal token or, for one file, a
 * transfer token; or the control plane by a management token that names the workspace. Returns the
 * user's id, or null for the control plane.
 */
export async function workspaceCaller(
  tokens: Pick<TokenChecks, 'workspace' | 'transfer' | 'terminal'>,
  { headers, queryToken, workspaceId, transfer }: CallerRequest,
  find: (workspaceId: string) => Workspace | null,
): Promise<string | null> {
  if (isManagement(headers.authorization)) {
    await tokens.workspace(headers, workspaceId);
    return null;
  }
  const isTransfer = headers.authorization === undefined && audienceOf(queryToken) === audiences.transfer;
  const claims =
    isTransfer && transfer && queryToken
      ? await tokens.transfer(headers, queryToken, transfer)
      : await tokens.terminal(headers, queryToken);
  if (claims.workspace !== workspaceId)
    throw new AgentError('forbidden', 'The token is not for this workspace');
  const workspace = find(workspaceId);
  if (workspace && workspace.generation !== claims.generation)
    throw new AgentError('forbidden', 'The token is for another generation of the workspace');
  return claims.sub;
}

export function isManagement(authorization: string | string[] | undefined): boolean {
  if (typeof authorization !== 'string') return false;
  return audienceOf(authorization.replace(/^bearer /i, '')) === audiences.management;
}

/** Unverified: selects the check, which then verifies the token. */
function audienceOf(token: string | null): unknown {
  try {
    return token === null ? undefined : decodeJwt(token).aud;
  } catch {
    return undefined;
  }
}
