import * as z from 'zod/mini';
import { readEnv } from '../../shared/env.js';

const settings = readEnv({
  MAX_SOCKETS_PER_USER: z._default(z.coerce.number(), 128),
  MAX_SOCKETS: z._default(z.coerce.number(), 4_000),
});

/**
 * Open live sockets. Another socket of a session or person closes the oldest one; another socket of
 * a full deployment is refused.
 */
export const socketLimits = {
  session: 32,
  person: settings.MAX_SOCKETS_PER_USER,
  deployment: settings.MAX_SOCKETS,
} as const;

export type SocketOwner = keyof typeof socketLimits;
