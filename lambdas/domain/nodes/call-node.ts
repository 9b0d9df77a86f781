import { request } from 'node:https';
import type { TLSSocket } from 'node:tls';
import type { z } from 'zod/mini';
import { nodeIdHeader, workspaceIdHeader } from '../../../protocol/node-api.js';
import { NodeRefused, NodeUnreachable } from './errors.js';

const maxReplyBytes = 256 * 1024;

export interface NodeAddress {
  readonly nodeId: string;
  readonly url: string;
  /** The one certificate that is trusted at this address; without it, whatever a public authority vouches for. */
  readonly certificatePem: string | null;
}

export interface NodeCall<Schema extends z.ZodMiniType> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly workspaceId?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Node-management JWT. */
  readonly token: string;
  readonly timeoutMs: number;
  readonly reply: Schema;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/**
 * Calls a node's agent.
 *
 * @throws {NodeUnreachable} no answer in time, or none that can be understood: it may have acted or not
 * @throws {NodeRefused} it said no
 */
export async function callNode<Schema extends z.ZodMiniType>(
  address: NodeAddress,
  call: NodeCall<Schema>,
): Promise<z.output<Schema>> {
  const { status, text } = await send(address, call).catch((error: unknown) => {
    throw new NodeUnreachable('The node does not answer', { cause: error });
  });
  if (status >= 500) throw new NodeUnreachable(`The node answered ${status}`);
  const body = readJson(text);
  if (status >= 400) throw new NodeRefused(status, errorCodeOf(body));
  const reply = call.reply.safeParse(body);
  if (!reply.success) throw new NodeUnreachable('The node gave an answer of another shape');
  return reply.data;
}

function send({ nodeId, url, certificatePem }: NodeAddress, call: NodeCall<z.ZodMiniType>): Promise<Answer> {
  const body = call.body === undefined ? undefined : JSON.stringify(call.body);
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const outgoing = request(
    new URL(call.path, url),
    {
      method: call.method,
      headers: {
        ...call.headers,
        authorization: `Bearer ${call.token}`,
        [nodeIdHeader]: nodeId,
        ...(call.workspaceId ? { [workspaceIdHeader]: call.workspaceId } : {}),
        ...(body ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) } : {}),
      },
      // The whole call, not only its silence, has to end in time.
      signal: AbortSignal.timeout(call.timeoutMs),
      agent: false,
      ...(certificatePem ? pinned(certificatePem) : {}),
    },
    (incoming) => {
      const chunks: Buffer[] = [];
      let size = 0;
      incoming.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxReplyBytes) outgoing.destroy(new Error('The answer is too long'));
        chunks.push(chunk);
      });
      incoming.on('end', () =>
        resolve({ status: incoming.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
      );
      incoming.on('error', reject);
    },
  );
  outgoing.on('error', reject);
  outgoing.end(body);
  return promise;
}

type PeerCertificate = ReturnType<TLSSocket['getPeerCertificate']>;

/** A pinned node is known by its very certificate, whatever name or address that was made for. */
export function pinned(certificatePem: string) {
  const wanted = certificatePem.replaceAll(/-----[A-Z ]+-----|\s/g, '');
  return {
    ca: certificatePem,
    // The certificate itself is the anchor, also where an authority of the operator's has signed it.
    allowPartialTrustChain: true,
    checkServerIdentity: (host: string, { raw }: PeerCertificate): Error | undefined => {
      // A chain in the PEM starts with the node's own certificate.
      if (wanted.startsWith(raw.toString('base64'))) return undefined;
      return new Error(`Another certificate than the pinned one answers at ${host}`);
    },
  };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function errorCodeOf(body: unknown): string {
  if (typeof body !== 'object' || body === null || !('error' in body)) return 'unknown';
  // A node is not trusted to keep it short.
  return typeof body.error === 'string' ? body.error.slice(0, 64) : 'unknown';
}
