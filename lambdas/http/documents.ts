import { openApiDocument } from '../edge/openapi/document.js';
import { schemaNames, withSharedParts } from '../edge/openapi/shared-parts.js';
import type { Route } from '../route-row.js';
import { routes } from '../routes.js';
import { contractOf } from './contracts.js';
import { namedSchemas } from './named-schemas.js';

const callbackKinds: readonly Route['auth']['kind'][] = [
  'nodeCallback',
  'workspaceCallback',
  'agentCallback',
  'anyCallback',
];
const isCallback = ({ auth, file }: Route): boolean =>
  callbackKinds.includes(auth.kind) || file.startsWith('callbacks/');

/** Operations of people, their programs and coding agents, with each schema where it is used. */
export const documentOfClients = openApiDocument(
  routes.filter((route) => !isCallback(route)),
  contractOf,
);

const documentOfCallbacks = openApiDocument(routes.filter(isCallback), contractOf, {
  title: 'Berth callbacks',
  description:
    'What node agents report to the control plane. Agent and control plane of one release agree on it; other clients have no use for it.',
});

const names = schemaNames(openApiDocument(routes, contractOf), namedSchemas);

/** `GET /openapi.json`. */
export const clientsForTools = withSharedParts(documentOfClients, names);

/** `GET /openapi-callbacks.json`. */
export const callbacksForTools = withSharedParts(documentOfCallbacks, names);
