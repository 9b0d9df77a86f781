import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import * as z from 'zod/mini';
import { RefusedMessage, RpcFailure, type RpcMessage, rpcCodes } from './json-rpc.js';

/**
 * Supported revisions that begin with `initialize`, newest first. 2025-03-26 is not: it requires
 * that a server receives batches.
 */
export const handshakeRevisions = ['2025-11-25', '2025-06-18'] as const;
type HandshakeRevision = (typeof handshakeRevisions)[number];

/** Supported revisions whose every request states its revision and needs no other before it. */
export const statelessRevisions = ['2026-07-28'] as const;
const firstStateless = statelessRevisions[0];

/** Whether a revision begins with a handshake. */
export type McpEra = 'handshake' | 'stateless';

export const isHandshake = (revision: string): revision is HandshakeRevision =>
  handshakeRevisions.some((one) => one === revision);

const isStateless = (revision: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(revision) && revision >= firstStateless;

type Headers = APIGatewayProxyEventV2['headers'];

const revisionKey = 'io.modelcontextprotocol/protocolVersion';
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';
const Envelope = z.looseObject({
  [revisionKey]: z.string(),
  [capabilitiesKey]: z.looseObject({}),
});
const Meta = z.looseObject({ _meta: z.looseObject({}) });

/**
 * The kind of revision that a message is of: what its `_meta` states decides, and headers must
 * agree.
 *
 * @throws {RpcFailure} the revision is not supported, or the message does not agree with itself
 */
export function eraOf(message: RpcMessage, headers: Headers): McpEra {
  const { data } = Meta.safeParse(message.params);
  const named = headers['mcp-protocol-version']?.trim();
  if (data && revisionKey in data._meta) {
    requireEnvelope(data._meta);
    const revision = String(data._meta[revisionKey]);
    if (message.method !== 'initialize' || isStateless(revision)) {
      requireStateless(revision, named);
      if (message.id !== undefined) requireHeaders(message, headers);
      return 'stateless';
    }
  }
  return eraOfHeader(message, named);
}

/** Without a statement in the message. */
function eraOfHeader({ method, id }: RpcMessage, named: string | undefined): McpEra {
  if (named !== undefined && isStateless(named)) {
    if (method === 'initialize') throw mismatch('initialize is not a method of this revision');
    if (id !== undefined) throw withoutEnvelope(named);
    requireStateless(named, named);
    return 'stateless';
  }
  // `initialize` negotiates the revision; every later request names a supported one.
  if (method !== 'initialize' && named !== undefined && !isHandshake(named))
    throw new RpcFailure(
      rpcCodes.request,
      `MCP-Protocol-Version must be one of ${handshakeRevisions.join(', ')}`,
    );
  return 'handshake';
}

function requireEnvelope(meta: Readonly<Record<string, unknown>>): void {
  const { error } = Envelope.safeParse(meta);
  const [issue] = error?.issues ?? [];
  if (!issue) return;
  const key = String(issue.path[0]);
  const problem = key in meta ? issue.message : 'missing';
  throw new RefusedMessage(400, {
    code: rpcCodes.params,
    message: `_meta is invalid: ${key}: ${problem}`,
    data: { envelope: { key, problem } },
  });
}

const withoutEnvelope = (revision: string) =>
  new RefusedMessage(400, {
    code: rpcCodes.params,
    message: `A request of revision ${revision.slice(0, 40)} needs ${revisionKey} and ${capabilitiesKey} in _meta`,
    data: { envelope: { missing: [revisionKey, capabilitiesKey] } },
  });

function requireStateless(revision: string, named: string | undefined): void {
  if (named !== undefined && named !== revision)
    throw mismatch('MCP-Protocol-Version and _meta state different revisions');
  if (statelessRevisions.some((one) => one === revision)) return;
  throw new RefusedMessage(400, {
    code: rpcCodes.revision,
    message: `Unsupported protocol version. Use ${statelessRevisions.join(', ')}, or initialize with one of ${handshakeRevisions.join(', ')}`,
    // Those that _meta can state, as server/discover lists them.
    data: { supported: statelessRevisions, requested: revision.slice(0, 40) },
  });
}

const Named = z.object({ name: z.string() });

/** Headers repeat what a proxy has to know of the message. */
function requireHeaders({ method, params }: RpcMessage, headers: Headers): void {
  if (headers['mcp-protocol-version'] === undefined) throw mismatch('MCP-Protocol-Version is missing');
  if (headers['mcp-method']?.trim() !== method) throw mismatch('Mcp-Method is not the method of the message');
  const called = method === 'tools/call' ? Named.safeParse(params).data : undefined;
  if (called && decoded(headers['mcp-name']) !== called.name)
    throw mismatch('Mcp-Name is not the name of the tool in the message');
}

/** A name that no header could hold is sent in Base64. */
function decoded(header: string | undefined): string | undefined {
  const base64 = header?.trim().match(/^=\?base64\?(.*)\?=$/)?.[1];
  return base64 === undefined ? header?.trim() : Buffer.from(base64, 'base64').toString();
}

const mismatch = (message: string) => new RefusedMessage(400, { code: rpcCodes.header, message });
