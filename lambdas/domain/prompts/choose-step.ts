import type { AgentSession } from '../agent-sessions/agent-session.js';
import type { Chat } from '../chats/chat.js';
import type { Workspace } from '../workspaces/workspace.js';
import { isUsable } from '../workspaces/workspace-status.js';
import { receiptTimeoutMs } from './decide-move.js';
import { isShutOut, isSuperseded, isUrgent, yieldsTo } from './message-classes.js';
import type { DeliveryReason, Prompt } from './prompt.js';

/** A node repeats every two minutes that its agent works; what is older than this may have ended unheard. */
const activityTimeoutMs = 5 * 60_000;

export type Step =
  | { readonly do: 'nothing' }
  /** Nothing is due: until then, or until the agent is heard. */
  | { readonly do: 'wait'; readonly until: Date | null }
  /** Somebody has begun to deliver it and has not come back: only the node knows. */
  | { readonly do: 'ask_receipt' }
  | { readonly do: 'give_up'; readonly to: 'failed' | 'expired'; readonly reason: DeliveryReason }
  | { readonly do: 'attempt'; readonly isAsleep: boolean; readonly cancelsFirst: boolean };

/** Whom the chat's agent session is in; each is missing where it is gone. */
export interface Target {
  readonly chat: Chat;
  readonly workspace: Workspace | undefined;
  readonly session: AgentSession | undefined;
  /** Whether the person whose session it is may prompt it now: an agent may only send for the same person. */
  readonly isAllowed: boolean;
  /** What the node took last, where that is another one, and has yet to say that its agent had it. */
  readonly unconfirmed: Prompt | undefined;
  /** What waits alone in the chat, where that is another one. */
  readonly lone: Prompt | undefined;
}

/** What is to be done with a prompt now. */
export function chooseStep(prompt: Prompt, target: Target, now: Date): Step {
  const { deliveryState, attemptStartedAt } = prompt;
  if (deliveryState === 'delivering') {
    const until = new Date(Date.parse(attemptStartedAt ?? prompt.updatedAt) + receiptTimeoutMs);
    return until > now ? { do: 'wait', until } : { do: 'ask_receipt' };
  }
  if (deliveryState !== 'queued' && deliveryState !== 'retry_wait') return { do: 'nothing' };
  if (now.getTime() >= Date.parse(prompt.deadlineAt))
    return { do: 'give_up', to: 'expired', reason: 'deadline_passed' };
  if (!target.isAllowed) return { do: 'give_up', to: 'failed', reason: 'not_allowed' };
  if (isShutOut(prompt, target.chat)) return { do: 'give_up', to: 'failed', reason: 'shut_down' };
  if (isSuperseded(prompt, target.chat)) return { do: 'give_up', to: 'failed', reason: 'superseded' };
  const reach = reachOf(target);
  if (reach === 'awake' || reach === 'asleep' || reach === 'linking')
    return whenReachable(prompt, target, { reach, now });
  return { do: 'give_up', to: 'failed', reason: reach };
}

interface Reachable {
  readonly reach: 'awake' | 'asleep' | 'linking';
  readonly now: Date;
}

function whenReachable(prompt: Prompt, { chat, unconfirmed }: Target, { reach, now }: Reachable): Step {
  if (reach === 'linking') return { do: 'wait', until: null };
  const isBusy = isPrompting(chat, now);
  const cancelsFirst = isUrgent(prompt.messageClass) && !yieldsTo(prompt, unconfirmed);
  if (isBusy && !cancelsFirst) return { do: 'wait', until: null };
  const due = prompt.nextAttemptAt === null ? 0 : Date.parse(prompt.nextAttemptAt);
  if (due > now.getTime() && !isAwaited(prompt, chat)) return { do: 'wait', until: new Date(due) };
  return { do: 'attempt', isAsleep: reach === 'asleep', cancelsFirst };
}

/** Whether the agent works on another prompt, as far as it was heard lately. */
export function isPrompting({ activity }: Chat, now: Date): boolean {
  if (activity?.activity !== 'prompting') return false;
  return now.getTime() - Date.parse(activity.activityAt) < activityTimeoutMs;
}

/** It waited for the agent, which has become idle since. */
function isAwaited({ lastError, updatedAt }: Prompt, { activity }: Chat): boolean {
  const waited = lastError === 'busy' || lastError === 'not_ready' || lastError === 'agent_failed';
  return waited && activity?.activity === 'idle' && activity.activityAt > updatedAt;
}

/** How the agent of a chat can be reached. */
export function reachOf({
  chat,
  workspace,
  session,
}: Target): Reachable['reach'] | 'terminal_target' | 'dead_target' | 'workspace_stopped' {
  if (chat.status === 'stopped') return 'terminal_target';
  if (chat.status === 'error') return 'dead_target';
  if (chat.agentSessionId === null) return chat.startDeliveryId === undefined ? 'dead_target' : 'linking';
  if (!workspace || session?.status !== 'running') return 'dead_target';
  if (session.generation !== workspace.generation) return 'workspace_stopped';
  if (workspace.status === 'sleeping') return 'asleep';
  // Whatever is stopped or made anew ends its agent sessions on the node.
  return isUsable(workspace.status) ? 'awake' : 'workspace_stopped';
}
