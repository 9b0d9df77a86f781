import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import type { AgentContract, TokenKind } from '../../api/contract.js';
import type { RequestHeaders, TokenChecks } from '../auth/token-checks.js';
import { workspaceCaller } from '../auth/workspace-caller.js';
import { AgentError } from '../errors.js';
import type { Workspace } from '../workspaces/workspace.js';

/** The caller of a request, proved by its token. */
export interface AuthContext {
  /** Null for the control plane. */
  readonly userId: string | null;
  /**
   * The sign-in session whose end closes the caller's socket; null for HTTP and for the control
   * plane.
   */
  readonly sessionHash: string | null;
  /** Null for requests about the node as a whole. */
  readonly workspaceId: string | null;
}

export interface AuthDeps {
  readonly tokens: Pick<TokenChecks, 'node' | 'management' | 'workspace' | 'transfer' | 'terminal'>;
  readonly workspaces: {
    find(workspaceId: string): Workspace | null;
    /** @throws AgentError when the workspace does not run */
    running(workspaceId: string): Workspace;
  };
}

export interface AuthRequest {
  readonly headers: RequestHeaders;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** Tokens that the router checks; forwarded routes check their own. */
export type CheckedToken = Exclude<TokenKind, 'preview' | 'forward'>;

type Authenticate = (request: AuthRequest, contract: AgentContract, deps: AuthDeps) => Promise<AuthContext>;

const WorkspaceParams = z.object({ workspaceId: Ulid });
const TokenQuery = z.object({
  token: z.optional(z.string()),
  // Path and worktree are checked after authentication: strangers learn nothing about them.
  path: z.catch(z.optional(z.string()), undefined),
  worktree: z.catch(z.optional(z.string()), undefined),
});

export const authenticate: Readonly<Record<CheckedToken, Authenticate>> = {
  none: async () => notPerson(null),
  node: async ({ headers }, _, { tokens }) => {
    await tokens.node(headers);
    return notPerson(null);
  },
  diagnostics: async ({ headers, query }, _, { tokens }) => {
    await tokens.node(headers, TokenQuery.parse(query).token ?? null);
    return notPerson(null);
  },
  management: authenticateManagement,
  workspace: authenticateForWorkspace,
  transfer: authenticateForWorkspace,
  terminal: async ({ headers, query }, _, { tokens, workspaces }) => {
    const claims = await tokens.terminal(headers, TokenQuery.parse(query).token ?? null);
    if (workspaces.running(claims.workspace).generation !== claims.generation)
      throw new AgentError('forbidden', 'The token is for another generation of the workspace');
    return { userId: claims.sub, sessionHash: claims.session, workspaceId: claims.workspace };
  },
};

function notPerson(workspaceId: string | null): AuthContext {
  return { userId: null, sessionHash: null, workspaceId };
}

/** The path names the workspace, or the body of a request that creates one. */
async function authenticateManagement(
  { headers, params, body }: AuthRequest,
  { path }: AgentContract,
  { tokens }: AuthDeps,
): Promise<AuthContext> {
  const named = WorkspaceParams.safeParse(path.includes('{workspaceId}') ? params : body);
  if (!named.success) {
    await tokens.management(headers);
    return notPerson(null);
  }
  await tokens.workspace(headers, named.data.workspaceId);
  return notPerson(named.data.workspaceId);
}

async function authenticateForWorkspace(
  { headers, params, query }: AuthRequest,
  { workspace, transfer }: AgentContract,
  { tokens, workspaces }: AuthDeps,
): Promise<AuthContext> {
  const { workspaceId } = WorkspaceParams.parse(params);
  const { token, path, worktree } = TokenQuery.parse(query);
  const caller = {
    headers,
    queryToken: token ?? null,
    workspaceId,
    transfer: transfer && { transfer, path, worktree },
  };
  const find = (id: string) => (workspace === 'running' ? workspaces.running(id) : workspaces.find(id));
  const userId = await workspaceCaller(tokens, caller, find);
  return { userId, sessionHash: null, workspaceId };
}
