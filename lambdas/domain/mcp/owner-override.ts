import { Forbidden } from '../../shared/errors.js';

/** In camel or snake case. */
const overrides: ReadonlySet<string> = new Set(['owner', 'ownerscope', 'cancelledby']);

/** Whether arguments name an owner: no agent acts for another one. */
export const namesOwner = (given: unknown): boolean =>
  typeof given === 'object' &&
  given !== null &&
  Object.keys(given).some((name) => overrides.has(name.replaceAll('_', '').toLowerCase()));

export const ownerForbidden = () =>
  new Forbidden(
    'The owner of a subscription and the party that cancels it are always your session. Leave owner, ownerScope and cancelledBy out.',
  );
