import { randomBytes } from 'node:crypto';
import type { Table } from '../../shared/table.js';
import { putItem } from '../records/change-item.js';
import { expiryOf, hashMcpSecret, type McpToken, mcpTokenItem, secretOf } from './mcp-token.js';

export type McpTokenDraft = Omit<
  McpToken,
  'tokenHash' | 'contextType' | 'createdAt' | 'lastRefreshedAt' | 'expiresAt'
>;

/**
 * Makes a token for the agent of a session, and returns the secret that only the agent is told. A caller that is
 * repeated gets another one; the first, if nobody was told it, ends by itself. One table call.
 */
export async function issueMcpToken(table: Table, draft: McpTokenDraft, now: Date): Promise<string> {
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
  await putItem(table, mcpTokenItem(token), { exists: false });
  return secret;
}
