import { randomBytes } from 'node:crypto';
import type { Table } from '../../shared/table.js';
import { transact, type Write } from '../records/transact.js';
import { expiryOf, hashMcpSecret, type McpToken, mcpTokenItem, secretOf } from './mcp-token.js';

export type McpTokenDraft = Omit<
  McpToken,
  'tokenHash' | 'contextType' | 'createdAt' | 'lastRefreshedAt' | 'expiresAt'
>;

/**
 * A token for the agent of a session: the secret, which only the agent is told, and the write that makes it good. A
 * repeat makes another one; one that nobody was told ends by itself.
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
