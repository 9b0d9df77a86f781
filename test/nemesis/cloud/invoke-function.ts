import type { EmulatorAccess } from '../../../local/access/keys.js';
import { callAws } from '../../../local/access/signature.js';
import { Functions } from '../../../local/deployment/functions.js';

/** Their names in Lambda are read once. */
const byEndpoint = new Map<string, Functions>();

function functionsOf(access: EmulatorAccess): Functions {
  const functions = byEndpoint.get(access.endpoint) ?? new Functions(access);
  byEndpoint.set(access.endpoint, functions);
  return functions;
}

/** As a schedule or a stream does; `name` is that of its source. @throws when the function fails */
export async function invokeFunction(access: EmulatorAccess, name: string, event: object): Promise<void> {
  const deployed = await functionsOf(access).physicalName(name);
  const answer = await callAws(access, {
    service: 'lambda',
    path: `/2015-03-31/functions/${deployed}/invocations`,
    body: JSON.stringify(event),
  });
  const error = answer.headers.get('x-amz-function-error');
  if (!answer.ok || error)
    throw new Error(`${name} answered ${answer.status} ${error}: ${await answer.text()}`);
}
