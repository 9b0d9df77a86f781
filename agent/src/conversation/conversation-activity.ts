import type { HostStatus } from '../../../protocol/agent-sessions.js';
import type { Activity } from '../reporting/activity-reporter.js';
import type { EndedPrompt } from './conversation.js';

/** What the control plane is told that a session does. */
export const conversationActivity = {
  /** A turn that failed leaves a session that can go on; one that had to be given up, the deadline among them, does not. */
  ofEnd({ stopReason, errorMessage }: EndedPrompt): Activity {
    if (stopReason === 'fatal_error') return { activity: 'error', statusError: errorMessage };
    return stopReason === 'error' ? { activity: 'idle', statusError: errorMessage } : { activity: 'idle' };
  },

  /** Null where the turn itself tells it. */
  ofHost(status: HostStatus, error: string | null): Activity | null {
    if (status === 'prompting') return null;
    if (status === 'error') return { activity: 'error', statusError: error };
    return { activity: status === 'starting' || status === 'recovering' ? 'recovering' : 'idle' };
  },
};
