import type { Authorisation, Route } from './routes.js';

// Apart from the table of routes, which no function should carry.

/** CloudFront adds it to each request; a viewer's own header of that name is replaced. */
export const originSecretHeader = 'x-svc-origin-secret';

const kindsWithToken: readonly Authorisation['kind'][] = [
  'nodeCallback',
  'workspaceCallback',
  'agentCallback',
  'anyCallback',
  'mcp',
];

/** Whether a route answers without the origin secret. Its caller proves itself by a token, or the row says so. */
export const isReachedDirectly = ({ auth, isDirect }: Pick<Route, 'auth' | 'isDirect'>): boolean =>
  isDirect === true || kindsWithToken.includes(auth.kind);
