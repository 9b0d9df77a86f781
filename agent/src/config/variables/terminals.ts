import { duration } from '../variable.js';

export const terminalVariables = {
  /** 0: a terminal without viewers stays. */
  orphanGraceMs: duration(
    'PTY_ORPHAN_GRACE_PERIOD',
    '0s',
    'Time after which a terminal without viewers ends; 0: never',
    0,
  ),
};
