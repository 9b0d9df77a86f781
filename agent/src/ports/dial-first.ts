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
 * Connects to the first address that accepts.
 * @param isToHandOver not a byte is read, for the socket goes to another process
 * @throws AgentError bad_gateway or timed_out
 */
export async function dialFirst(
  { addresses, port, timeoutMs }: DialRequest,
  isToHandOver = false,
): Promise<Socket> {
  const signal = AbortSignal.timeout(timeoutMs);
  for (const host of addresses) {
    const socket = await dial(connect({ host, port, noDelay: true }), signal, isToHandOver);
    if (socket) return socket;
    if (signal.aborted) throw new AgentError('timed_out', `Port ${port} of the workspace does not answer`);
  }
  throw new AgentError('bad_gateway', `Port ${port} of the workspace refuses connections`);
}

function dial(socket: Socket, signal: AbortSignal, isToHandOver: boolean): Promise<Socket | null> {
  const { promise, resolve } = Promise.withResolvers<Socket | null>();
  if (isToHandOver) socket.pause();
  const giveUp = () => socket.destroy();
  const connected = () => resolve(socket);
  const failed = () => resolve(null);
  signal.addEventListener('abort', giveUp);
  socket.once('connect', connected).once('error', failed).once('close', failed);
  return promise.finally(() => {
    signal.removeEventListener('abort', giveUp);
    socket.off('connect', connected).off('close', failed);
    // A late error of a socket that nobody took has nobody to tell.
    if (socket.destroyed) socket.on('error', () => undefined);
    else socket.off('error', failed);
  });
}
