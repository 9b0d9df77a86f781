import { request as plain, type RequestOptions } from 'node:http';
import { request as encrypted } from 'node:https';
import type Docker from 'dockerode';
import * as z from 'zod/mini';

const Texts = z.optional(z.nullable(z.union([z.string(), z.instanceof(Buffer)])));
const Modem = z.object({
  /** A path, or a function that finds it. */
  socketPath: z.optional(z.unknown()),
  host: z.optional(z.nullable(z.string())),
  port: z.optional(z.nullable(z.union([z.string(), z.number()]))),
  protocol: z.optional(z.nullable(z.string())),
  ca: Texts,
  cert: Texts,
  key: Texts,
});

/** Path of the engine's socket; null when the agent's client uses an address. */
export async function socketOf(docker: Docker): Promise<string | null> {
  const { socketPath: place } = Modem.parse(docker.modem);
  const path = typeof place === 'function' ? await place() : place;
  return typeof path === 'string' ? path : null;
}

export type RequestEngine = (options: RequestOptions) => ReturnType<typeof plain>;

/** Sends requests to the engine that the agent's own client uses. */
export async function requestsTo(docker: Docker): Promise<RequestEngine> {
  const { host, port, protocol, ca, cert, key } = Modem.parse(docker.modem);
  const socketPath = await socketOf(docker);
  if (socketPath !== null) return (options) => plain({ ...options, agent: false, socketPath });
  const address = { host: host ?? 'localhost', port: port ?? 2375, agent: false } as const;
  if (protocol !== 'https') return (options) => plain({ ...options, ...address });
  const proof = Object.fromEntries(Object.entries({ ca, cert, key }).filter(([, value]) => value));
  return (options) => encrypted({ ...options, ...address, ...proof });
}
