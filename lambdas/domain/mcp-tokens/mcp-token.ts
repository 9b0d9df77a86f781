import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { hashText } from '../../shared/hash-text.js';
import type { Table } from '../../shared/table.js';
import { transact, type Write } from '../records/transact.js';

/**
 * A token ends this long after its last renewal; a call renews it once half of that time has
 * passed.
 */
export const mcpTokenSeconds = 8 * 60 * 60;

/** A renewed token, too, ends this long after it was issued. */
const mcpTokenLifetimeSeconds = 24 * 60 * 60;

/** The identity of an agent. Tools take ids of the caller from its token, never from arguments. */
export const McpToken = z.object({
  tokenHash: z.string(),
  contextType: z.enum(['task', 'conversation']),
  projectId: Ulid,
  /** The person of the task or conversation: the token has no more rights than this person. */
  userId: Ulid,
  workspaceId: Ulid,
  /** The generation of the workspace in which the agent runs. */
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

/** The ids in a secret. They are trusted only after the token was found by the secret's hash. */
const ClaimedIds = z.object({
  userId: Ulid,
  projectId: Ulid,
  workspaceId: Ulid,
  agentSessionId: Ulid,
  chatSessionId: Ulid,
});

export type ClaimedIds = z.infer<typeof ClaimedIds>;

/** With these ids the token and all records it depends on are read in one call. */
export function idsOfSecret(secret: string): ClaimedIds | undefined {
  const [userId, projectId, workspaceId, agentSessionId, chatSessionId] = secret.split('.');
  const ids = ClaimedIds.safeParse({ userId, projectId, workspaceId, agentSessionId, chatSessionId });
  return ids.success ? ids.data : undefined;
}

const secretOf = (ids: ClaimedIds, random: string): string =>
  [ids.userId, ids.projectId, ids.workspaceId, ids.agentSessionId, ids.chatSessionId, random].join('.');

export const hashMcpSecret = (secret: string): string => hashText(secret);

const mcpTokenPrefix = 'MCPTOKEN#';

export const mcpTokenKey = (workspaceId: string, tokenHash: string) => ({
  pk: `WORKSPACE#${workspaceId}`,
  sk: `${mcpTokenPrefix}${tokenHash}`,
});

const mcpTokenItem = (token: McpToken) => ({
  ...mcpTokenKey(token.workspaceId, token.tokenHash),
  entity: 'mcp-token',
  schemaVersion: 1,
  ...token,
});

/** The end of a token that is used now, in epoch seconds. */
export const expiryOf = ({ createdAt }: Pick<McpToken, 'createdAt'>, now: Date): number =>
  Math.min(
    Math.floor(now.getTime() / 1000) + mcpTokenSeconds,
    Math.floor(Date.parse(createdAt) / 1000) + mcpTokenLifetimeSeconds,
  );
export type McpTokenDraft = Omit<
  McpToken,
  'tokenHash' | 'contextType' | 'createdAt' | 'lastRefreshedAt' | 'expiresAt'
>;

/**
 * A token for the agent of a session: the secret, which only the agent receives, and the write that
 * stores the token. A repeat issues another token; an unused one expires.
 */
export function newMcpToken(
  draft: McpTokenDraft,
  now: Date,
): { readonly secret: string; readonly write: Write } {
  const secret = secretOf(draft, randomBytes(32).toString('base64url'));
  const at = now.toISOString();
  const token: McpToken = {
    ...draft,
    tokenHash: hashMcpSecret(secret),
    contextType: draft.taskId === null ? 'conversation' : 'task',
    createdAt: at,
    lastRefreshedAt: at,
    expiresAt: expiryOf({ createdAt: at }, now),
  };
  return { secret, write: { put: mcpTokenItem(token), when: { exists: false } } };
}

/** One table call. */
export async function issueMcpToken(table: Table, draft: McpTokenDraft, now: Date): Promise<string> {
  const { secret, write } = newMcpToken(draft, now);
  await transact(table, [write]);
  return secret;
}
