import type { Table } from '../../shared/table.js';
import { confirmLast } from '../prompts/confirmation.js';
import type { NodeDeps } from '../prompts/load-delivery.js';
import { loadWorkspaceChats } from './workspace-chats.js';

/**
 * Asks the node about the last prompts of a workspace that is captured: after its sleep nobody can
 * ask. A prompt without an answer cancels the sleep. Two table calls, and at most four for each
 * prompt.
 */
export async function confirmPrompts(table: Table, deps: NodeDeps, workspaceId: string): Promise<void> {
  const { chats } = await loadWorkspaceChats(table, workspaceId);
  for (const { chat } of chats) {
    const { status, unconfirmedId: deliveryId } = chat;
    if (status === 'active' && deliveryId !== undefined) await confirmLast(table, deps, { chat, deliveryId });
  }
}
