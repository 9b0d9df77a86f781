import { connect, type Socket } from 'node:net';
import { AgentError } from '../errors.js';
import type { ListeningSocket } from './listening-sockets.js';

export interface DialRequest {
  /** Tried in order. */
  readonly addresses: readonly string[];
  readonly port: number;
  /** For all addresses together. */
  readonly timeoutMs: number;
}

/**
 * Connects to the first address that accepts.
 * @param isToHandOver reads nothing, because the socket goes to another process
 * @throws AgentError bad_gateway or timed_out
 */
export async function dialFirst(
  { addresses, port, timeoutMs }: DialRequest,
  isToHandOver = false,
): Promise<Socket> {
  const signal = AbortSignal.timeout(timeoutMs);
  for (const host of addresses) {
    const socket = await dialOne(connect({ host, port, noDelay: true }), signal, isToHandOver);
    if (socket) return socket;
    if (signal.aborted) throw new AgentError('timed_out', `Port ${port} of the workspace did not answer`);
  }
  throw new AgentError('bad_gateway', `Port ${port} of the workspace refuses connections`);
}

function dialOne(socket: Socket, signal: AbortSignal, isToHandOver: boolean): Promise<Socket | null> {
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
    // Without a listener a late error would end the process.
    if (socket.destroyed) socket.on('error', () => undefined);
    else socket.off('error', failed);
  });
}

const anyIpv4 = '0.0.0.0';
const anyIpv6 = '::';

/**
 * Addresses at which a port of the workspace is reached, best first, without addresses that might
 * reach another listener on the same port.
 */
export function dialAddresses(own: readonly ListeningSocket[], others: readonly ListeningSocket[]): string[] {
  const wanted = [...new Set(own.flatMap(({ address }) => waysTo(address)))];
  return wanted.filter((address) => !others.some((other) => covers(other.address, address)));
}

/** A socket on all IPv6 addresses usually serves IPv4 too, and containers may have no IPv6. */
function waysTo(address: string): string[] {
  if (address === anyIpv4) return ['127.0.0.1'];
  if (address === anyIpv6) return ['127.0.0.1', '::1'];
  return [address];
}

function covers(listening: string, dialled: string): boolean {
  if (listening === anyIpv6) return true;
  if (listening === anyIpv4) return dialled.includes('.');
  return listening === dialled;
}
