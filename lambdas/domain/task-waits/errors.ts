import { Conflict } from '../../shared/errors.js';
import { maxActiveWaits } from './task-wait.js';

export class WaitKeyReused extends Conflict {
  override readonly name = 'WaitKeyReused';
  override readonly code = 'WAIT_KEY_REUSED';
  override readonly details = [
    { field: 'waitKey', message: 'The key belongs to another wait of this session' },
  ];

  constructor() {
    super(
      'The waitKey was used with other tasks, another condition or another wakeAfterSeconds. Use a new key.',
    );
  }
}

export class WaitLimitReached extends Conflict {
  override readonly name = 'WaitLimitReached';
  override readonly code = 'WAIT_LIMIT_REACHED';

  constructor() {
    super(`Project has ${maxActiveWaits} active waits (limit ${maxActiveWaits}). Wait until one ends.`);
  }
}
