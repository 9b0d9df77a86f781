import { Conflict } from '../../shared/errors.js';
import { maxActiveWaits } from './task-wait.js';

export class WaitKeyReused extends Conflict {
  override readonly name = 'WaitKeyReused';
  override readonly code = 'WAIT_KEY_REUSED';
  override readonly details = [{ field: 'waitKey', message: 'It names another wait of this session' }];

  constructor() {
    super('This waitKey was used with other tasks, another condition or another time');
  }
}

export class WaitLimitReached extends Conflict {
  override readonly name = 'WaitLimitReached';
  override readonly code = 'WAIT_LIMIT_REACHED';

  constructor() {
    super(`${maxActiveWaits} agents of the project wait for tasks, which is the most at once`);
  }
}
