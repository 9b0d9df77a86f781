import type { CallbackRefused } from '../control-plane/callback-errors.js';

export type RefusalDecision =
  /** The token is not good: nothing is sent with it any more, and nothing is lost. */
  | 'hold'
  /** This chat takes nothing more. */
  | 'close_chat'
  /** What was uploaded of it is not there. */
  | 'upload_again'
  /** There is no place for all that it says. */
  | 'tell_without'
  /** One of them is to blame: each goes alone. */
  | 'one_by_one'
  /** It is too large for the way: a word in its place keeps the order visible. */
  | 'omit'
  | 'drop'
  /** For a while. */
  | 'retry';

const byCode: Readonly<Record<string, RefusalDecision>> = {
  SESSION_MESSAGE_LIMIT_EXCEEDED: 'close_chat',
  SESSION_CONTENT_LIMIT_EXCEEDED: 'tell_without',
  CONTENT_NOT_STORED: 'upload_again',
};

/** What becomes of messages that the control plane did not take. */
export function decideRefusal(
  { status, code, message }: Pick<CallbackRefused, 'status' | 'code' | 'message'>,
  batch: { readonly count: number; readonly isOmitted: boolean; readonly awaitsUpload: boolean },
): RefusalDecision {
  // 410: the workspace has another life, whose token is on its way here; its chats go on with it.
  if (status === 401 || status === 403 || status === 410) return 'hold';
  if (status === 404) return 'close_chat';
  if (status !== 400 && status !== 413) return byCode[code] ?? 'retry';
  if (batch.awaitsUpload) return 'tell_without';
  if (batch.count > 1) return 'one_by_one';
  const isTooLarge = status === 413 || /large|size|exceed|limit/i.test(`${code} ${message}`);
  return isTooLarge && !batch.isOmitted ? 'omit' : 'drop';
}
