import type { Table } from '../../shared/table.js';
import { loadReportingSession, type SessionReporter } from '../agent-sessions/load-reporting-session.js';
import { interactionConflict, interactionNotFound } from './errors.js';
import { Interaction, interactionKey } from './interaction.js';

/** A node that reports about one of its interactions. */
export interface InteractionReporter extends Omit<SessionReporter, 'agentSessionId'> {
  /** The waiter that the node names. */
  readonly waiter: {
    readonly interactionId: string;
    readonly agentSessionId: string;
    readonly generation: string;
    readonly runtimeIdentity: string;
  };
}

/**
 * The interaction that a node reports about. Two table calls.
 *
 * @throws {chatNotFound | workspaceNotFound | StaleGeneration | interactionNotFound}
 * @throws {interactionConflict} it has another waiter
 */
export async function loadReported(
  table: Table,
  { waiter, ...reporter }: InteractionReporter,
): Promise<Interaction> {
  const { interactionId, agentSessionId, generation, runtimeIdentity } = waiter;
  const { chat, find } = await loadReportingSession(table, { ...reporter, agentSessionId }, (chatId) => [
    interactionKey(chatId, interactionId),
  ]);
  const item = find(interactionKey(chat.chatId, interactionId));
  if (!item) throw interactionNotFound();
  const found = Interaction.parse(item);
  const isOwn =
    found.agentSessionId === agentSessionId &&
    found.generation === generation &&
    found.runtimeIdentity === runtimeIdentity;
  if (!isOwn) throw interactionConflict();
  return found;
}
