import { DomainError } from '../../shared/errors.js';
import type { Action } from './actions.js';

/** Another person's agent works on the record, with that person's credentials. */
export class NotCreator extends DomainError {
  override readonly name = 'NotCreator';
  readonly kind = 'forbidden';
  readonly code: 'NOT_SESSION_CREATOR' | 'NOT_TASK_CREATOR' | 'FORBIDDEN';

  constructor(action: Action) {
    const noun = nouns[action.slice(0, action.indexOf('.'))];
    super(noun ? `Only the person who created the ${noun.name} may do this` : 'Only its owner may do this');
    this.code = noun?.code ?? 'FORBIDDEN';
  }
}

const nouns: Readonly<
  Record<string, { readonly name: string; readonly code: 'NOT_SESSION_CREATOR' | 'NOT_TASK_CREATOR' }>
> = {
  chat: { name: 'session', code: 'NOT_SESSION_CREATOR' },
  task: { name: 'task', code: 'NOT_TASK_CREATOR' },
};
