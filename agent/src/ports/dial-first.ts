import { connect, type Socket } from 'node:net';
import { AgentError } from '../errors.js';

export interface DialRequest {
  /** Tried one after the other. */
  readonly addresses: readonly string[];
  readonly port: number;
  /** For all of them together. */
  readonly timeoutMs: number;
}

/**
 * Connects to the first address that accepts; the socket has read nothing yet.
 * @throws AgentError bad_gateway or timed_out
 */
export async function dialFirst({ addresses, port, timeoutMs }: DialRequest): Promise<Socket> {
  const signal = AbortSignal.timeout(timeoutMs);
  for (const host of addresses) {
    const socket = await dial(host, port, signal);
    if (socket) return socket;
    if (signal.aborted) throw new AgentError('timed_out', `Port ${port} of the workspace does not answer`);
  }
  throw new AgentError('bad_gateway', `Port ${port} of the workspace refuses connections`);
}

function dial(host: string, port: number, signal: AbortSignal): Promise<Socket | null> {
  const { promise, resolve } = Promise.withResolvers<Socket | null>();
  const socket = connect({ host, port, noDelay: true });
  // Not a byte may be read here: the socket may still be handed to another process.
  socket.pause();
  const giveUp = () => socket.destroy();
  signal.addEventListener('abort', giveUp);
  socket.once('connect', () => resolve(socket));
  socket.once('error', () => resolve(null));
  socket.once('close', () => resolve(null));
  return promise.finally(() => {
    signal.removeEventListener('abort', giveUp);
    socket.removeAllListeners();
  });
}
