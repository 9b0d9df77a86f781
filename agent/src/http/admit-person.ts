import type { TerminalClaims } from '../../../protocol/tokens.js';
import type { TokenChecks } from '../auth/token-checks.js';
import { AgentError } from '../errors.js';
import type { Workspaces } from '../workspaces/workspaces.js';
import type { UpgradeRequest } from './upgrades.js';

/** Who opens a socket, by their token for this very generation of a workspace that runs. */
export async function admitPerson(
  { request, url }: UpgradeRequest,
  { tokens, workspaces }: { readonly tokens: TokenChecks; readonly workspaces: Pick<Workspaces, 'running'> },
): Promise<TerminalClaims> {
  const claims = await tokens.terminal(request.headers, url.searchParams.get('token'));
  if (workspaces.running(claims.workspace).generation !== claims.generation)
    throw new AgentError('forbidden', 'The token is for another generation of the workspace');
  return claims;
}
