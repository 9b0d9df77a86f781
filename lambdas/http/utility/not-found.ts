// ANY /{path+}
import { contract } from '../../edge/contract.js';
import { route } from '../../edge/route.js';
import { NotFound } from '../../shared/errors.js';

/** Not in the area's contracts: what exists is documented, what does not is not. */
const nowhere = contract({ summary: 'No such endpoint', responses: { 204: null } });

/** Refused before the request is looked at: what an unknown path was sent matters to nobody. */
export const handler = route(
  nowhere,
  () => {
    throw new NotFound('Endpoint');
  },
  () => ({ status: 204 }),
);
