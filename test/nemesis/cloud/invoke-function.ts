import { Functions } from '../../../local/deployment/functions.js';

/** Their names in Lambda are read once. */
const byEndpoint = new Map<string, Functions>();

function functionsOf(endpoint: string): Functions {
  const functions = byEndpoint.get(endpoint) ?? new Functions(endpoint);
  byEndpoint.set(endpoint, functions);
  return functions;
}

/** As a schedule or a stream does; `name` is that of its source. @throws when the function fails */
export async function invokeFunction(endpoint: string, name: string, event: object): Promise<void> {
  const deployed = await functionsOf(endpoint).physicalName(name);
  const answer = await fetch(`${endpoint}/2015-03-31/functions/${deployed}/invocations`, {
    method: 'POST',
    body: JSON.stringify(event),
  });
  const error = answer.headers.get('x-amz-function-error');
  if (!answer.ok || error)
    throw new Error(`${name} answered ${answer.status} ${error}: ${await answer.text()}`);
}
