import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { nodeIdHeader, workspaceIdHeader } from '../../../protocol/node-api.js';
import { NodeUnreachable } from '../nodes/errors.js';
import { CircuitBreaker } from './circuit-breaker.js';
import { nodeTimeouts } from './node-access.js';
import type { NodeAddress } from './node-address.js';

export interface NodeRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly workspaceId?: string;
  readonly body?: { readonly type: string; readonly content: string | Uint8Array };
  readonly headers?: Readonly<Record<string, string>>;
  /** Node-management JWT. */
  readonly token: string;
  /** For the whole call, with its response. */
  readonly timeoutMs: number;
}

const circuits = new CircuitBreaker();

/**
 * Sends one request to the agent of a node and returns the head of its response. Nothing is sent
 * twice; the error says whether the request can have arrived.
 *
 * @throws {NodeUnreachable} no answer in time
 */
export async function sendRequest(address: NodeAddress, call: NodeRequest): Promise<IncomingMessage> {
  circuits.admit(address);
  let mayHaveActed = false;
  const onConnected = () => {
    mayHaveActed = true;
  };
  try {
    const answer = await open(address, call, onConnected);
    circuits.answered(address);
    return answer;
  } catch (cause) {
    circuits.failed(address);
    throw new NodeUnreachable('The node did not answer', { cause, mayHaveActed });
  }
}

/**
 * Reads the body of a response to its end.
 *
 * @throws {NodeUnreachable} the response ended early, or was too slow
 * @throws the error of `tooLong`: the response has more bytes
 */
export async function readBody(
  answer: IncomingMessage,
  maxBytes: number,
  tooLong: () => Error,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let left = maxBytes;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      left -= chunk.length;
      if (left < 0) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    throw new NodeUnreachable('The reply of the node ended early', { cause });
  }
  if (left < 0) throw tooLong();
  return Buffer.concat(chunks);
}

function open(
  { nodeId, url, certificatePem }: NodeAddress,
  { method, path, workspaceId, body, headers, token, timeoutMs }: NodeRequest,
  onConnected: () => void,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const outgoing = request(
    new URL(path, url),
    {
      method,
      headers: {
        ...headers,
        authorization: `Bearer ${token}`,
        [nodeIdHeader]: nodeId,
        ...(workspaceId ? { [workspaceIdHeader]: workspaceId } : {}),
        ...(body ? { 'content-type': body.type, 'content-length': Buffer.byteLength(body.content) } : {}),
      },
      // The time-out bounds the whole call.
      signal: AbortSignal.timeout(timeoutMs),
      agent: false,
      ...(certificatePem ? pinned(nodeId, certificatePem) : {}),
    },
    resolve,
  );
  const silence = setTimeout(
    () => outgoing.destroy(new Error('No TLS connection within the time-out')),
    nodeTimeouts.connect,
  );
  outgoing.once('socket', (socket) =>
    socket.once('secureConnect', () => {
      clearTimeout(silence);
      onConnected();
    }),
  );
  outgoing.once('close', () => clearTimeout(silence));
  outgoing.on('error', reject);
  outgoing.end(body?.content);
  return promise;
}

type PeerCertificate = ReturnType<TLSSocket['getPeerCertificate']>;

/**
 * A pinned node is identified by its certificate, whatever name the certificate has. The node
 * serves that certificate to whoever asks for its id, and an issued one to browsers.
 */
function pinned(nodeId: string, certificatePem: string) {
  const wanted = certificatePem.replaceAll(/-----[A-Z ]+-----|\s/g, '');
  return {
    servername: nodeId.toLowerCase(),
    ca: certificatePem,
    // The certificate itself is the trust anchor, also when an authority of the operator signed it.
    allowPartialTrustChain: true,
    checkServerIdentity: (host: string, { raw }: PeerCertificate): Error | undefined => {
      // A chain in the PEM starts with the node's own certificate.
      if (wanted.startsWith(raw.toString('base64'))) return undefined;
      return new Error(`The certificate at ${host} is not the pinned one`);
    },
  };
}
