import type { LiveEvent } from '../../../protocol/live.js';

/**
 * Of what happened to one record only the newest is told: a client reads the record anyway. What has no version is an entry
 * of its own, and all of these are told. So a batch of changes costs each subscriber at most one event a record and kind,
 * however many changes there were.
 */
export function newest(messages: readonly LiveEvent[]): readonly LiveEvent[] {
  const kept = new Map<string, LiveEvent>();
  for (const [index, message] of messages.entries()) {
    const subject = 'version' in message ? subjectOf(message) : index;
    kept.set(`${message.topic} ${message.type} ${subject}`, message);
  }
  return [...kept.values()];
}

function subjectOf({ type, data }: Extract<LiveEvent, { version: number }>): string {
  if (type === 'workspace.status') return data.workspaceId;
  if (type === 'task.updated') return data.taskId;
  return type === 'prompt.updated' ? data.deliveryId : data.sessionId;
}
