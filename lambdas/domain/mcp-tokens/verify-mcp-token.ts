import type { z } from 'zod/mini';
import type { Table } from '../../shared/table.js';
import { Member, memberKey } from '../projects/member.js';
import { Project, projectKey } from '../projects/project.js';
import { changeItem } from '../records/change-item.js';
import { getItems, type Item } from '../records/get-items.js';
import { Workspace, workspaceKey } from '../workspaces/workspace.js';
import { isUsable } from '../workspaces/workspace-status.js';
import { McpTokenInvalid } from './errors.js';
import { expiryOf, hashMcpSecret, idsOfSecret, McpToken, mcpTokenKey, mcpTokenSeconds } from './mcp-token.js';

/** The agent that calls: what its token stands for, and what that depends on, as it is now. */
export interface McpCaller {
  readonly token: McpToken;
  readonly project: Project;
  readonly member: Member;
}

/**
 * Who a secret is. The token is as good as what it depends on is at this moment: a member who was removed, or a workspace
 * that was stopped, takes it along. One table call, and one more about every four hours of use.
 *
 * @throws {McpTokenInvalid}
 */
export async function verifyMcpToken(
  table: Table,
  { secret, now }: { readonly secret: string; readonly now: Date },
): Promise<McpCaller> {
  const ids = idsOfSecret(secret);
  if (!ids) throw new McpTokenInvalid();
  const keys = {
    token: mcpTokenKey(ids.workspaceId, hashMcpSecret(secret)),
    project: projectKey(ids.projectId),
    member: memberKey(ids.projectId, ids.userId),
    workspace: workspaceKey(ids.workspaceId),
  };
  const find = await getItems(table, Object.values(keys));
  const token = parsed(McpToken, find(keys.token));
  const project = parsed(Project, find(keys.project));
  const member = parsed(Member, find(keys.member));
  requireLiving(token, parsed(Workspace, find(keys.workspace)), now);
  if (project.status !== 'active' || member.status !== 'active') throw new McpTokenInvalid();
  await renew(table, token, now);
  return { token, project, member };
}

/** What is missing is not told apart from what is wrong: the token is no good. */
function parsed<Schema extends z.ZodMiniType>(schema: Schema, item: Item | undefined): z.output<Schema> {
  if (!item) throw new McpTokenInvalid();
  return schema.parse(item);
}

function requireLiving(token: McpToken, { status, generation }: Workspace, now: Date): void {
  const isLiving = isUsable(status) && generation === token.generation;
  if (!isLiving || token.expiresAt <= now.getTime() / 1000) throw new McpTokenInvalid();
}

/** Half of its time has to be over before use makes it live longer: most calls write nothing. */
async function renew(table: Table, token: McpToken, now: Date): Promise<void> {
  const isDue = now.getTime() - Date.parse(token.lastRefreshedAt) > (mcpTokenSeconds / 2) * 1_000;
  const expiresAt = expiryOf(token, now);
  if (!isDue || expiresAt <= token.expiresAt) return;
  await changeItem(table, {
    key: mcpTokenKey(token.workspaceId, token.tokenHash),
    set: { lastRefreshedAt: now.toISOString(), expiresAt },
    // One that was revoked since must not come back.
    when: { exists: true },
  });
}
