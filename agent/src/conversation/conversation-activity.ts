import type { HostStatus } from '../../../protocol/agent-sessions.js';
import type { Activity } from '../reporting/activity.js';
import type { EndedPrompt } from './conversation.js';

/** Maps the state of a session to the activity that the control plane gets. */
export const conversationActivity = {
  /** After `error` the session can go on; after `fatal_error`, such as a deadline, it cannot. */
  ofEnd({ stopReason, errorMessage }: EndedPrompt): Activity {
    if (stopReason === 'fatal_error') return { activity: 'error', statusError: errorMessage };
    const isFailure = stopReason === 'error' || stopReason === 'recovered';
    return isFailure ? { activity: 'idle', statusError: errorMessage } : { activity: 'idle' };
  },

  /** Null while prompting: `promptStarted` reports that. */
  ofHost(status: HostStatus, error: string | null): Activity | null {
    if (status === 'prompting') return null;
    if (status === 'error') return { activity: 'error', statusError: error };
    return { activity: status === 'starting' || status === 'recovering' ? 'recovering' : 'idle' };
  },
};
