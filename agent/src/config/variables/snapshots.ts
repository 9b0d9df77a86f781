import { duration } from '../variable.js';

export const snapshotVariables = {
  timeoutMs: duration(
    'SESSION_SNAPSHOT_OPERATION_TIMEOUT',
    '15m',
    'Timeout of the transfer of a session snapshot',
  ),
};
