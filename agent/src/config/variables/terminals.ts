import { duration } from '../variable.js';

export const terminalVariables = {
  /** 0: a terminal that nobody watches stays. */
  orphanGraceMs: duration(
    'PTY_ORPHAN_GRACE_PERIOD',
    '0s',
    'After which a terminal that nobody watches ends; 0: never',
    0,
  ),
};
