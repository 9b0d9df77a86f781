import type { Call } from './route.js';

/** The token that a request carries as a bearer, if it is of the form that ours have. */
export const bearerOf = ({ request }: Pick<Call, 'request'>): string | undefined =>
  /^Bearer ([\w.-]+)$/i.exec(request.header('authorization') ?? '')?.[1];
