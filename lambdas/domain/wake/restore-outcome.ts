import type { RestoreResult } from '../../../protocol/snapshot-callbacks.js';
import type { ChatRestore } from '../chats/chat.js';
import type { WakeInProgress } from '../workspaces/workspace.js';
import { maxWakeAttempts } from './request-wake.js';

/** Results in which a whole part of the snapshot is missing, maybe only for now. */
const failures: readonly RestoreResult['status'][] = ['missing', 'home_failed', 'wip_failed'];

/** Another attempt may restore more. The last one takes what there is. */
export const mayTryAgain = ({ status }: RestoreResult, { attempt }: WakeInProgress): boolean =>
  failures.includes(status) && attempt < maxWakeAttempts;

export const isDegraded = ({ status, missing }: RestoreResult): boolean =>
  status !== 'restored' || missing.length > 0;

/** The limit of named parts. */
const mostNamed = 10;

const parts = {
  home: 'the home folder of the workspace',
  work: 'changes in the repository',
  agent: "the agent's conversation",
} as const;

/** What a chat keeps of the result. */
export function restoreOf(result: RestoreResult, now: Date): ChatRestore {
  const missing = result.missing
    .slice(0, mostNamed)
    .map(({ reason, ...part }) => ({ ...part, reason: reason.slice(0, 300) }));
  const status = isDegraded(result) ? 'degraded' : 'restored';
  return { status, message: result.message, missing, at: now.toISOString() };
}

/** The message that a chat shows after a wake that restored less than the snapshot has. */
export function degradedNotice({ operationId, message, missing }: RestoreResult) {
  const named = missing.slice(0, mostNamed).map(({ part, path, reason }) => {
    const where = path === null ? '' : ` (${path})`;
    return `- ${parts[part]}${where}: ${reason}`;
  });
  const more = missing.length > mostNamed ? [`- ${missing.length - mostNamed} more`] : [];
  const lines = [...named, ...more];
  const reason = message ? ` ${message}` : '';
  const content = `The workspace is awake, but its snapshot could not be restored completely.${reason}`;
  return {
    messageId: `wake-${operationId}`,
    role: 'system' as const,
    content: lines.length > 0 ? `${content} Missing:\n${lines.join('\n')}` : content,
    toolMetadata: null,
    origin: 'system' as const,
  };
}
