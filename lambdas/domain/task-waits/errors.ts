import { Conflict } from '../../shared/errors.js';
import { maxActiveWaits } from './task-wait.js';

export const waitKeyReused = () =>
  new Conflict(
    'The waitKey was used with other tasks, another condition or another wakeAfterSeconds. Use a new key.',
    {
      code: 'WAIT_KEY_REUSED',
      details: [{ field: 'waitKey', message: 'Another wait of this session has this key.' }],
    },
  );

export const waitLimitReached = () =>
  new Conflict(`Project has ${maxActiveWaits} active waits (limit ${maxActiveWaits}). Wait until one ends.`, {
    code: 'WAIT_LIMIT_REACHED',
  });
