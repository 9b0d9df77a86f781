import { snapshotProgressSeconds } from '../../../protocol/snapshot-callbacks.js';
import { duration, integer } from './variable.js';

/** Retries and time limits of agent sessions. */
export const agentSessionVariables = {
  retries: {
    maxRetries: integer(
      ['ACP_PROMPT_RETRY_MAX_RETRIES', '2', 'Retries of a prompt after transient errors of its provider'],
      { min: 0, max: 20 },
    ),
    initialBackoffMs: duration(
      'ACP_PROMPT_RETRY_INITIAL_BACKOFF',
      '15s',
      'Delay before the first retry of a prompt',
    ),
    maxBackoffMs: duration(
      'ACP_PROMPT_RETRY_MAX_BACKOFF',
      '2m',
      'Longest delay between retries; the delay doubles each time',
    ),
  },
  restarts: {
    maxAttempts: integer(['ACP_MAX_RESTART_ATTEMPTS', '3', 'Restarts of a coding agent after crashes'], {
      min: 0,
      max: 1_000,
    }),
    decayMs: duration(
      'DEFAULT_RESTART_DECAY_WINDOW',
      '5m',
      'Time without a crash after which the count of restarts is reset',
      0,
    ),
    attemptTimeoutMs: duration(
      'ACP_RESTART_ATTEMPT_TIMEOUT',
      '5m',
      'Timeout of one start of a coding agent, including its installation',
    ),
  },
  cancelGraceMs: duration(
    'ACP_PROMPT_CANCEL_GRACE_PERIOD',
    '5s',
    'Time before a cancelled prompt is ended by force',
    0,
  ),
  promptTimeoutMs: duration(
    'ACP_PROMPT_TIMEOUT',
    '0s',
    'Timeout of a prompt in a conversation; 0: no timeout',
    0,
  ),
  taskPromptTimeoutMs: duration(
    'ACP_TASK_PROMPT_TIMEOUT',
    '8h',
    'Timeout of a prompt of a task; 0: no timeout',
    0,
  ),
  rollover: {
    graceMs: duration(
      'ACP_CHECKPOINT_PREEMPT_GRACE',
      '30s',
      'Grace period of a checkpoint rollover before force, when the request names none',
      0,
    ),
    maxGraceMs: duration(
      'ACP_CHECKPOINT_PREEMPT_MAX_GRACE',
      '2m',
      'Longest grace period that a request may name',
      0,
    ),
    timeoutMs: duration('ACP_CHECKPOINT_ROLLOVER_TIMEOUT', '2m', 'Timeout of a checkpoint rollover'),
  },
};

export const snapshotVariables = {
  timeoutMs: duration(
    'SESSION_SNAPSHOT_OPERATION_TIMEOUT',
    '15m',
    'Timeout of the capture or the restore of a snapshot',
  ),
  progressIntervalMs: duration(
    'SESSION_SNAPSHOT_PROGRESS_REPORT_INTERVAL',
    `${snapshotProgressSeconds}s`,
    'How often the progress of a capture or restore is reported',
  ),
};
