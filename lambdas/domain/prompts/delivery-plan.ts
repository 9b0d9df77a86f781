import type { Chat } from '../chats/chat.js';
import { isExhausted } from '../wake/request-wake.js';
import { isAsleep } from '../workspaces/workspace.js';
import { hasOnlySnapshot, isUsable } from '../workspaces/workspace-status.js';
import { receiptTimeoutMs } from './delivery-outcome.js';
import type { DeliveryTarget } from './load-delivery.js';
import type { DeliveryReason, Prompt } from './prompt.js';
import { isShutOut, isSuperseded, isUrgent, yieldsTo } from './prompt-state.js';

/** A node reports a working agent every two minutes. An older report may mean a lost node. */
const activityTimeoutMs = 5 * 60_000;

/** What the worker does with a prompt now. */
export type DeliveryPlan =
  | { readonly do: 'nothing' }
  /** Until this time, or until the agent reports when there is none. */
  | { readonly do: 'wait'; readonly until: Date | null }
  /** An attempt was abandoned: only the node knows its result. */
  | { readonly do: 'ask_receipt' }
  | { readonly do: 'give_up'; readonly to: 'failed' | 'expired'; readonly reason: DeliveryReason }
  | { readonly do: 'attempt'; readonly isAsleep: boolean; readonly cancelsFirst: boolean };

export function planDelivery(prompt: Prompt, target: DeliveryTarget, now: Date): DeliveryPlan {
  const { deliveryState, attemptStartedAt } = prompt;
  if (deliveryState === 'delivering') {
    const until = new Date(Date.parse(attemptStartedAt ?? prompt.updatedAt) + receiptTimeoutMs);
    return until > now ? { do: 'wait', until } : { do: 'ask_receipt' };
  }
  if (deliveryState !== 'queued' && deliveryState !== 'retry_wait') return { do: 'nothing' };
  if (now.getTime() >= Date.parse(prompt.deadlineAt))
    return { do: 'give_up', to: 'expired', reason: 'deadline_passed' };
  const obstacle = obstacleOf(prompt, target);
  if (obstacle) return { do: 'give_up', to: 'failed', reason: obstacle };
  return planAttempt(prompt, target, now);
}

/** Why the prompt can no longer be delivered. */
function obstacleOf(prompt: Prompt, target: DeliveryTarget): DeliveryReason | undefined {
  if (!target.isAllowed) return 'not_allowed';
  if (isShutOut(prompt, target.chat)) return 'shut_down';
  if (isSuperseded(prompt, target.chat)) return 'superseded';
  if (isWakeFailed(prompt, target)) return 'wake_failed';
  const reach = reachOf(target);
  return isReachable(reach) ? undefined : reach;
}

function planAttempt(prompt: Prompt, target: DeliveryTarget, now: Date): DeliveryPlan {
  const { chat, unconfirmed } = target;
  const reach = reachOf(target);
  if (reach === 'linking') return { do: 'wait', until: null };
  const cancelsFirst = isUrgent(prompt.messageClass) && !yieldsTo(prompt, unconfirmed);
  if (isPrompting(chat, now) && !cancelsFirst) return { do: 'wait', until: null };
  const due = prompt.nextAttemptAt === null ? 0 : Date.parse(prompt.nextAttemptAt);
  if (due > now.getTime() && !isReadyNow(prompt, target)) return { do: 'wait', until: new Date(due) };
  return { do: 'attempt', isAsleep: reach === 'asleep', cancelsFirst };
}

/** Whether a recent report says that the agent works on a prompt. */
export function isPrompting({ activity }: Chat, now: Date): boolean {
  if (activity?.activity !== 'prompting') return false;
  return now.getTime() - Date.parse(activity.activityAt) < activityTimeoutMs;
}

/** The prompt waited for its agent, which has become idle or was woken since. */
function isReadyNow({ lastError, updatedAt }: Prompt, target: DeliveryTarget): boolean {
  if (lastError === 'target_asleep') return reachOf(target) === 'awake';
  const { activity } = target.chat;
  const waited = lastError === 'busy' || lastError === 'not_ready' || lastError === 'agent_failed';
  return waited && activity?.activity === 'idle' && activity.activityAt > updatedAt;
}

/** No attempt to wake the workspace is left for this prompt. A later one starts again. */
const isWakeFailed = ({ createdAt }: Prompt, { workspace }: DeliveryTarget): boolean =>
  workspace !== undefined &&
  hasOnlySnapshot(workspace.status) &&
  isExhausted(workspace.wakeFailure) &&
  createdAt <= (workspace.wakeFailure?.failedAt ?? '');

type Reach = 'awake' | 'asleep' | 'linking' | 'terminal_target' | 'dead_target' | 'workspace_stopped';
type Unreachable = Exclude<Reach, 'awake' | 'asleep' | 'linking'>;

/**
 * Whether the agent of a chat can receive prompts; if never again, the reason. `linking`: the task
 * run has not linked its agent session to the chat yet.
 */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: guards in the order of the decision, each with its own outcome
export function reachOf({ chat, workspace, session }: DeliveryTarget): Reach {
  if (chat.endReason !== undefined) return 'workspace_stopped';
  if (chat.status === 'stopped') return 'terminal_target';
  if (chat.status === 'error') return 'dead_target';
  if (chat.agentSessionId === null) return chat.startDeliveryId === undefined ? 'dead_target' : 'linking';
  if (!workspace || session?.status !== 'running') return 'dead_target';
  if (isAsleep(workspace)) return 'asleep';
  if (session.generation !== workspace.generation) return 'workspace_stopped';
  return isUsable(workspace.status) ? 'awake' : 'workspace_stopped';
}

const isReachable = (reach: Reach): reach is Exclude<Reach, Unreachable> =>
  reach === 'awake' || reach === 'asleep' || reach === 'linking';
