import { type CreateInteraction, interactionLimits } from '../../../protocol/interactions.js';
import { InvalidRequest } from '../../shared/errors.js';
import { hashText } from '../../shared/hash-text.js';
import type { Table } from '../../shared/table.js';
import { loadReportingSession, type SessionReporter } from '../agent-sessions/load-reporting-session.js';
import { chatChange } from '../chats/change-chat.js';
import type { Chat } from '../chats/chat.js';
import { ChatEnded } from '../prompts/errors.js';
import { transact } from '../records/transact.js';
import type { SecretBox } from '../secrets/sealed-secret.js';
import { interactionConflict, interactionNotOffered, tooManyPending } from './errors.js';
import { Interaction, interactionItem } from './interaction.js';
import { putContent } from './interaction-content.js';
import { deadlineMs, isOffered } from './interaction-settings.js';

interface Asked extends Omit<SessionReporter, 'agentSessionId'> {
  readonly request: CreateInteraction;
  readonly now: Date;
}

interface Created {
  readonly status: 'created' | 'existing';
  readonly interaction: Interaction;
}

const takingAnswers = ['active', 'sleeping'] as const;

/**
 * Stores a request of an agent and marks its chat, in one transaction. A repeat returns the same.
 * Three table calls.
 *
 * @throws {chatNotFound | workspaceNotFound | StaleGeneration | ChatEnded}
 * @throws {interactionConflict | interactionNotOffered | tooManyPending}
 */
export async function createInteraction(
  { table, secrets }: { readonly table: Table; readonly secrets: SecretBox },
  { request, now, ...reporter }: Asked,
): Promise<Created> {
  const { agentSessionId, kind } = request;
  const { chat, task } = await loadReportingSession(table, { ...reporter, agentSessionId });
  const mode = task?.taskMode ?? 'conversation';
  if (!isOffered(kind, mode)) throw interactionNotOffered(kind);
  const interaction = newInteraction(request, { chat, latest: now.getTime() + deadlineMs[mode][kind], now });
  const { chatId, interactionId } = interaction;
  const outcome = await transact(table, [
    { put: interactionItem(interaction), when: { exists: false } },
    await putContent(secrets, interaction, request.detail),
    {
      update: chatChange(chatId, {
        addTo: { openInteractions: interactionId },
        when: {
          oneOf: { status: takingAnswers },
          fewerThan: { openInteractions: interactionLimits.pendingPerSession },
        },
        now,
      }),
    },
  ]);
  if (outcome.committed) return { status: 'created', interaction };
  const met = outcome.refusals[0];
  if (!met?.failed)
    throw chat.status === 'stopped' || chat.status === 'error'
      ? new ChatEnded(chat.status)
      : tooManyPending();
  const existing = Interaction.parse(met.item);
  if (existing.payloadHash !== request.payloadHash) throw interactionConflict();
  return { status: 'existing', interaction: existing };
}

interface Beginning {
  readonly chat: Chat;
  /** Epoch milliseconds: the latest deadline. */
  readonly latest: number;
  readonly now: Date;
}

function newInteraction(request: CreateInteraction, { chat, latest, now }: Beginning): Interaction {
  const { interactionId, agentSessionId, kind, generation, runtimeIdentity, payloadHash } = request;
  const { toolCallId } = request.safeSummary;
  const deadline = Math.min(request.deadlineAt, latest);
  if (deadline <= now.getTime())
    throw new InvalidRequest('The deadline has passed', [{ field: 'deadlineAt', message: 'Must be later' }]);
  const at = now.toISOString();
  return {
    interactionId,
    chatId: chat.chatId,
    projectId: chat.projectId,
    workspaceId: String(chat.workspaceId),
    agentSessionId,
    kind,
    state: 'pending',
    generation,
    runtimeIdentity,
    payloadHash,
    ...(toolCallId === undefined ? {} : { toolCallId }),
    ...(request.kind === 'url' ? { elicitationHash: hashText(request.detail.elicitationId) } : {}),
    deadlineAt: new Date(deadline).toISOString(),
    attempts: 0,
    version: 1,
    createdAt: at,
    updatedAt: at,
  };
}
