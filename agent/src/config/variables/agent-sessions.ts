import { duration, integer } from '../variable.js';

/** How patient the hosts of agent sessions are. */
export const agentSessionVariables = {
  retries: {
    maxRetries: integer(
      [
        'ACP_PROMPT_RETRY_MAX_RETRIES',
        '2',
        'Further attempts at a prompt after transient errors of its provider',
      ],
      { min: 0, max: 20 },
    ),
    initialBackoffMs: duration('ACP_PROMPT_RETRY_INITIAL_BACKOFF', '15s', 'Pause before the first of them'),
    maxBackoffMs: duration(
      'ACP_PROMPT_RETRY_MAX_BACKOFF',
      '2m',
      'Longest pause; each is twice the one before',
    ),
  },
  restarts: {
    maxAttempts: integer(['ACP_MAX_RESTART_ATTEMPTS', '3', 'Restarts of a coding agent that crashes'], {
      min: 0,
      max: 1_000,
    }),
    decayMs: duration('DEFAULT_RESTART_DECAY_WINDOW', '5m', 'Quiet time after which crashes count anew', 0),
    attemptTimeoutMs: duration(
      'ACP_RESTART_ATTEMPT_TIMEOUT',
      '5m',
      'Longest start of a coding agent, its installation included',
    ),
  },
  cancelGraceMs: duration(
    'ACP_PROMPT_CANCEL_GRACE_PERIOD',
    '5s',
    'Until a cancelled prompt is ended by force',
    0,
  ),
  promptTimeoutMs: duration('ACP_PROMPT_TIMEOUT', '0s', 'Longest prompt of a conversation; 0: none', 0),
  taskPromptTimeoutMs: duration('ACP_TASK_PROMPT_TIMEOUT', '8h', 'Longest prompt of a task; 0: none', 0),
  rollover: {
    graceMs: duration(
      'ACP_CHECKPOINT_PREEMPT_GRACE',
      '30s',
      'Grace of a checkpoint rollover before force, where the request names none',
      0,
    ),
    maxGraceMs: duration(
      'ACP_CHECKPOINT_PREEMPT_MAX_GRACE',
      '2m',
      'Longest grace that a request may name',
      0,
    ),
    timeoutMs: duration(
      'ACP_CHECKPOINT_ROLLOVER_TIMEOUT',
      '2m',
      'Longest checkpoint rollover, from its beginning',
    ),
  },
};
