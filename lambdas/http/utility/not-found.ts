// ANY /{path+}
import { contract } from '../../edge/contract.js';
import { route } from '../../edge/route.js';
import { routes } from '../../routes.js';
import { MethodNotAllowed, NotFound } from '../../shared/errors.js';

/** Not in the area's contracts: what exists is documented, what does not is not. */
const nowhere = contract({ summary: 'No such endpoint', responses: { 204: null } });

/** Refused before the request is looked at: what an unknown path was sent matters to nobody. */
export const handler = route(
  nowhere,
  ({ rawPath }) => {
    const methods = methodsOf(rawPath);
    throw methods.length > 0 ? new MethodNotAllowed(methods) : new NotFound('Endpoint');
  },
  () => ({ status: 204 }),
);

/** The methods that a path has. It is here because of another one. */
function methodsOf(path: string): readonly string[] {
  const parts = path.split('/');
  const isThere = (pattern: string) => {
    const wanted = pattern.split('/');
    return (
      wanted.length === parts.length &&
      wanted.every((part, at) => (part.startsWith('{') ? parts[at] !== '' : part === parts[at]))
    );
  };
  return routes.filter((row) => isThere(row.path)).map(({ method }) => method);
}
