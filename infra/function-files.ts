import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fallback, routes } from '../lambdas/routes.js';
import { steps } from '../lambdas/sagas/steps.js';

/**
 * Handlers behind the live socket; `authorize` guards `$connect`, `ping` also answers what no route
 * matches.
 */
const socketFunctions = ['authorize', 'connect', 'disconnect', 'subscribe', 'unsubscribe', 'ping'] as const;
export type SocketFunction = (typeof socketFunctions)[number];

/**
 * Every function of the deployment: its source is `lambdas/<name>.ts`, its bundle
 * `dist/lambdas/<name>/index.mjs`.
 */
export const functionFiles: readonly string[] = [
  ...[...routes, fallback].map(({ file }) => `http/${file}`),
  ...steps.map(({ saga, name }) => `sagas/${saga}/${name}`),
  ...socketFunctions.map((name) => `socket/${name}`),
  'queues/deliver-prompts',
  'queues/send-pushes',
  'streams/live',
  'streams/end-rights',
  'sweeps/recheck-access',
  'sweeps/reconcile',
  'sweeps/resend-wake-ups',
];

type FunctionExists = (name: string) => boolean;

/**
 * Whether a function's source is there: while rooms are being written, a deployment may go without
 * the rest.
 */
export function sourceExistsIn(root: string): FunctionExists {
  return (name) => existsSync(join(root, 'lambdas', `${name}.ts`));
}
