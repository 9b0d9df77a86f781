import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { hashText } from '../../shared/hash-text.js';

/** A token that is used lives on by as much, */
export const mcpTokenSeconds = 8 * 60 * 60;
/** but no longer than this. */
export const mcpTokenLifetimeSeconds = 24 * 60 * 60;

/** What an agent's MCP token stands for. Who calls a tool, and about what, is read here and never in its arguments. */
export const McpToken = z.object({
  tokenHash: z.string(),
  contextType: z.enum(['task', 'conversation']),
  projectId: Ulid,
  /** Whose task or conversation it is; the token can do no more than they may. */
  userId: Ulid,
  workspaceId: Ulid,
  /** The life of the workspace in which the agent runs: in another one it does not. */
  generation: z.int(),
  chatSessionId: Ulid,
  agentSessionId: Ulid,
  taskId: z.nullable(Ulid),
  taskMode: z.nullable(z.enum(['task', 'conversation'])),
  createdAt: z.iso.datetime(),
  lastRefreshedAt: z.iso.datetime(),
  /** Epoch seconds. */
  expiresAt: z.int(),
});
export type McpToken = z.infer<typeof McpToken>;

/** The ids that a secret carries. They can be believed only once the token was found by the hash of the whole. */
const ClaimedIds = z.object({
  userId: Ulid,
  projectId: Ulid,
  workspaceId: Ulid,
  agentSessionId: Ulid,
  chatSessionId: Ulid,
});
export type ClaimedIds = z.infer<typeof ClaimedIds>;

/** They are there so that the token and all that it depends on are read in one call. */
export function idsOfSecret(secret: string): ClaimedIds | undefined {
  const [userId, projectId, workspaceId, agentSessionId, chatSessionId] = secret.split('.');
  const ids = ClaimedIds.safeParse({ userId, projectId, workspaceId, agentSessionId, chatSessionId });
  return ids.success ? ids.data : undefined;
}

export const secretOf = (ids: ClaimedIds, random: string): string =>
  [ids.userId, ids.projectId, ids.workspaceId, ids.agentSessionId, ids.chatSessionId, random].join('.');

export const hashMcpSecret = (secret: string): string => hashText(secret);

export const mcpTokenPrefix = 'MCPTOKEN#';

export const mcpTokenKey = (workspaceId: string, tokenHash: string) => ({
  pk: `WORKSPACE#${workspaceId}`,
  sk: `${mcpTokenPrefix}${tokenHash}`,
});

export const mcpTokenItem = (token: McpToken) => ({
  ...mcpTokenKey(token.workspaceId, token.tokenHash),
  entity: 'mcp-token',
  schemaVersion: 1,
  ...token,
});

/** When a token that was used now ends, in epoch seconds. */
export const expiryOf = ({ createdAt }: Pick<McpToken, 'createdAt'>, now: Date): number =>
  Math.min(
    Math.floor(now.getTime() / 1000) + mcpTokenSeconds,
    Math.floor(Date.parse(createdAt) / 1000) + mcpTokenLifetimeSeconds,
  );
