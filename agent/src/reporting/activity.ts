import type { AgentActivity, MessageBatch } from '../../../protocol/agent-callbacks.js';
import type { SessionRecord } from '../agent-sessions/session-record.js';
import { redactText } from '../shared/redact.js';

const maxErrorLength = 2_048;

/** The reported activity of a session. */
export type Activity =
  | { readonly activity: 'prompting'; readonly promptStartedAt: number }
  | { readonly activity: 'idle' | 'recovering' | 'error'; readonly statusError?: string | null };

export function isSameActivity(one: Activity, other: Activity): boolean {
  return JSON.stringify(reportOf(one)) === JSON.stringify(reportOf(other));
}

/** The agent fields of a report. */
export function agentOf({
  agentType,
  restartCount,
}: Pick<SessionRecord, 'agentType' | 'restartCount'>): Pick<AgentActivity, 'agentType' | 'restartCount'> {
  return { ...(agentType === null ? {} : { agentType }), restartCount };
}

/** A report without the fields of the session. */
export type ReportedActivity = Omit<AgentActivity, 'agentType' | 'restartCount'>;

/** The harness still runs this many tasks outside of turns. */
export function workOf(count: number, now: number): Partial<ReportedActivity> {
  if (count === 0) return {};
  return {
    runtimeWorkState: 'active',
    runtimeWorkCount: count,
    runtimeWorkSource: 'harness',
    runtimeWorkProgressAt: now,
  };
}

export function reportOf(activity: Activity): ReportedActivity {
  if (activity.activity === 'prompting') return activity;
  const { statusError } = activity;
  return {
    activity: activity.activity,
    ...(statusError ? { statusError: redactText(statusError).slice(0, maxErrorLength) } : {}),
  };
}

/** How the request with messages and activity ended. */
export type PiggybackResult =
  | 'taken'
  /** The messages were stored, the activity was not. */
  | 'left'
  | 'refused'
  /** No answer: the request may have arrived, or arrive later. */
  | 'unanswered';

/** The activity of an agent that is sent in the same request as messages of its chat. */
export interface PiggybackedActivity {
  /** Undefined when no report waits. */
  readonly activity: MessageBatch['activity'];
  end(how: PiggybackResult): void;
}

export const noPiggyback: PiggybackedActivity = { activity: undefined, end: () => undefined };

export interface ActivitySettings {
  readonly debounceMs: number;
  readonly repeatMs: number;
  /** For `prompting`: a lost report is repeated anyway. */
  readonly working: AttemptLimits;
  /** For all other activities. */
  readonly resting: AttemptLimits;
}

interface AttemptLimits {
  readonly attempts: number;
  readonly backoffMs: number;
}
