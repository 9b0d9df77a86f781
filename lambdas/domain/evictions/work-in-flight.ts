import type { EvictionReport } from '../../../protocol/eviction.js';
import type { Chat } from '../chats/chat.js';
import { isPrompting } from '../prompts/delivery-plan.js';
import type { LedChat } from '../snapshots/workspace-chats.js';
import type { Workspace } from '../workspaces/workspace.js';

interface Stopped {
  readonly report: Pick<EvictionReport, 'workInFlight'>;
  /** The open ones, the oldest first. */
  readonly chats: readonly LedChat[];
  readonly now: Date;
}

/** Names the eviction, so that each of its chats is continued once. */
export const evictionName = ({
  evictionGeneration,
  workspaceId,
  generation,
}: Pick<Workspace, 'evictionGeneration' | 'workspaceId' | 'generation'>): string =>
  evictionGeneration ?? `${workspaceId}#${generation}`;

/**
 * The chats whose work was interrupted: an agent works, or has not confirmed its last prompt. The
 * node may know of work that no report shows; then it is that of the oldest chat. Undefined when
 * every agent had returned to its person.
 */
export function recoveryOf(
  name: Pick<Workspace, 'evictionGeneration' | 'workspaceId' | 'generation'>,
  { report: { workInFlight }, chats, now }: Stopped,
): Workspace['recovery'] {
  const interrupted = chats.filter(({ chat }) => wasInterrupted(chat, { workInFlight, now }));
  const [oldest] = chats;
  const all = interrupted.length === 0 && workInFlight && oldest ? [oldest] : interrupted;
  if (all.length === 0) return undefined;
  return { of: evictionName(name), chatIds: all.map(({ chat }) => chat.chatId) };
}

/** A prompt that waits continues its chat by itself. */
function wasInterrupted(
  chat: Chat,
  { workInFlight, now }: { readonly workInFlight: boolean | undefined; readonly now: Date },
): boolean {
  const { activity, deliveringId, unconfirmedId } = chat;
  if (deliveringId !== undefined) return true;
  const hasEnded = activity?.activity === 'idle';
  // A node that says there is no work has seen the end of the turn.
  const works = workInFlight !== false && (isPrompting(chat, now) || activity?.work?.state === 'active');
  return (unconfirmedId !== undefined && !hasEnded) || works;
}
