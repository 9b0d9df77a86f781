import { createHash } from 'node:crypto';
import { pairPrefix } from '../event-channels/channel-name.js';

/** The channel of two chats of a project, whichever of them sends. */
export function pairChannelName(projectId: string, chatIds: readonly [string, string]): string {
  const text = JSON.stringify(['agent-message-channel', projectId, ...chatIds.toSorted()]);
  return `${pairPrefix}${createHash('sha256').update(text).digest('hex').slice(0, 40)}`;
}
