import type { LiveMessage } from '../../../protocol/live.js';

type Delivery = NonNullable<LiveMessage['delivery']>;

const reasons: Readonly<Record<string, string>> = {
  lost_response: 'the node did not confirm it',
  receipt_unavailable: 'the node could not be asked for its receipt',
  runtime_changed: 'the agent was restarted at that time',
  superseded: 'a later message replaced it',
  workspace_stopped: 'the workspace was stopped',
  terminal_target: 'the session has ended',
  dead_target: 'the session has ended',
  wake_failed: 'the workspace could not be woken',
  deadline_passed: 'the agent was not ready in time',
  agent_failed: 'the agent could not be started',
  not_allowed: 'your rights in the project have ended',
};

/** How far a message to the agent has come; null when there is nothing to say. */
export function deliveryWords({ state, reason }: Delivery, isAsleep: boolean): string | null {
  const why = reason === null ? '' : `: ${reasons[reason] ?? reason.replaceAll('_', ' ')}`;
  switch (state) {
    case 'queued':
      return isAsleep ? 'The workspace wakes. Do not send it again.' : 'Waits for the agent.';
    case 'delivered':
      return null;
    case 'failed':
      return `Not delivered${why}.`;
    case 'ambiguous':
      return `It is not known whether the agent received this${why}.`;
  }
}
