import { attentionMarkers, type Chat } from '../../domain/chats/chat.js';
import type { Prompt } from '../../domain/prompts/prompt.js';
import { shownState } from '../../domain/prompts/prompt-state.js';

export function chatView(chat: Chat) {
  const {
    chatId,
    userId,
    cursor: _,
    activity,
    attention = null,
    endReason = null,
    endedBecause = null,
    snapshotExpiresAt = null,
    restore = null,
    createdAt,
    ...rest
  } = chat;
  return {
    id: chatId,
    createdByUserId: userId,
    isIdle: activity?.activity === 'idle',
    isTerminated: chat.status === 'stopped',
    agentType: activity?.agentType ?? null,
    startedAt: createdAt,
    createdAt,
    attention,
    attentionMarkers: [...attentionMarkers(chat)],
    endReason,
    endedBecause,
    snapshotExpiresAt: chat.status === 'sleeping' ? snapshotExpiresAt : null,
    restore,
    ...rest,
  };
}

const noReport = {
  activity: null,
  activityAt: null,
  promptStartedAt: null,
  agentType: null,
  restartCount: 0,
  statusError: null,
  runtimeWork: null,
} as const;

export function stateView({ status, activity: stored }: Chat) {
  const report = stored ? { ...stored, runtimeWork: stored.work ?? null } : noReport;
  // An ended session has no running agent, whatever its last report says.
  const ended = { activity: 'stopped' as const, promptStartedAt: null, runtimeWork: null };
  return status === 'stopped' ? { ...report, ...ended } : report;
}

/** The state of a delivery, without the text, which is in the message. */
export function deliveryView(prompt: Prompt) {
  const { deliveryId, promptMessageId, deadlineAt, lastError, terminalReason } = prompt;
  const { sequence, messageClass, deliveryAttempts, nextAttemptAt, deliveredAt, createdAt } = prompt;
  const { ackRequired, ackedAt, redeliveries } = prompt;
  return {
    id: deliveryId,
    messageId: promptMessageId,
    sequence,
    messageClass,
    state: shownState(prompt),
    reason: terminalReason ?? lastError,
    attempts: deliveryAttempts,
    nextAttemptAt,
    deliveredAt,
    ackRequired,
    ackedAt,
    redeliveries,
    expiresAt: deadlineAt,
    createdAt,
  };
}
