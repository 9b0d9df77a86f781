// ANY /{path+}
import { contract } from '../../edge/contract.js';
import { route } from '../../edge/route.js';
import { routes } from '../../routes.js';
import { MethodNotAllowed, NotFound } from '../../shared/errors.js';

/** Not in the contracts of the area: OpenAPI describes only endpoints that exist. */
const nowhere = contract({ summary: 'No such endpoint', responses: { 204: null } });

/** Refuses before the request is parsed: an unknown path has no contract to parse it by. */
export const handler = route(
  nowhere,
  {
    identify: ({ rawPath }) => {
      const methods = methodsOf(rawPath);
      throw methods.length > 0 ? new MethodNotAllowed(methods) : new NotFound('Endpoint');
    },
  },
  () => ({ status: 204 }),
);

/** The methods of a path. The request came here because it has another method. */
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
