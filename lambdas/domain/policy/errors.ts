import { Forbidden } from '../../shared/errors.js';
import type { Action } from './actions.js';

/** The agent of another person works on the record, with that person's credentials. */
export function notCreator(action: Action): Forbidden {
  if (action.startsWith('chat.')) return ofRecord('session', 'NOT_SESSION_CREATOR');
  if (action.startsWith('task.')) return ofRecord('task', 'NOT_TASK_CREATOR');
  return new Forbidden('Only the owner of the record can do this');
}

const ofRecord = (record: string, code: string) =>
  new Forbidden(`Only the person who created the ${record} can do this`, { code });
