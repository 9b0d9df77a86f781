import type { IncomingMessage } from 'node:http';
import * as z from 'zod/mini';
import { fileContentPolicy } from '../../../protocol/workspace-files.js';
import { openOnNode } from '../../domain/node-client/file-calls.js';
import { nodeTimeouts } from '../../domain/node-client/node-access.js';
import { readBody } from '../../domain/node-client/send-request.js';
import { transferAddress } from '../../domain/node-client/transfer-address.js';
import type { ByChat } from '../../edge/chat-route.js';
import type { HttpRequest } from '../../edge/http-request.js';
import { readEnv } from '../../shared/env.js';
import { tooLarge } from '../../shared/errors.js';
import { callWorkspaceNode, type NodeOfWorkspace } from './call-workspace-node.js';
import { maxProxiedBytes } from './file-parameters.js';

const env = readEnv({ WORKSPACE_URL_TEMPLATE: z.string() });

type Call = Pick<ByChat, 'chat' | 'user' | 'table'> & {
  readonly request: HttpRequest;
  readonly now: Date;
  readonly query: { readonly path: string };
};

interface Carrying {
  readonly transfer: 'raw' | 'download';
  /** Headers of the request that are forwarded to the node. */
  readonly asks?: readonly string[];
}

interface Bare<Status> {
  readonly status: Status;
  readonly headers: Readonly<Record<string, string>>;
}

interface Whole<Status> extends Bare<Status> {
  readonly bytes: Uint8Array;
}

type Carried = Whole<200> | Whole<206> | Bare<304> | Bare<307> | Bare<416>;

/** Headers of the reply of the node that the client gets. */
const forwardedHeaders = [
  'content-type',
  'content-disposition',
  'content-range',
  'accept-ranges',
  'cache-control',
  'etag',
  'last-modified',
];

/** Returns the bytes of a file if a function can carry them, otherwise a redirect to the node. */
export function proxyFile(call: Call, { transfer, asks = [] }: Carrying): Promise<Carried> {
  const ask = async (reached: NodeOfWorkspace): Promise<Carried> => {
    const answer = await openOnNode(reached.access, reached.workspace, {
      path: `files/${transfer}`,
      query: call.query,
      headers: asked(call.request, asks),
      also: [304, 416],
    });
    const { statusCode: status } = answer;
    const headers = headersOf(answer);
    if (status === 304 || status === 416) {
      answer.resume();
      return { status, headers };
    }
    if (Number(answer.headers['content-length']) <= maxProxiedBytes) {
      const bytes = await readBody(answer, maxProxiedBytes, changed);
      return { status: status === 206 ? 206 : 200, headers, bytes };
    }
    // The node stops sending when the response is destroyed.
    answer.destroy();
    return { status: 307, headers: { location: await locationOf(call, reached, transfer) } };
  };
  return callWorkspaceNode(call, ask, nodeTimeouts.transfer);
}

const changed = () => tooLarge('The file grew while it was read. Repeat the request.');

const asked = ({ header }: HttpRequest, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = header(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );

/**
 * Sets our own content policy: a file must not run scripts at this origin, whatever its node
 * sends.
 */
function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const copied = forwardedHeaders.flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return { ...Object.fromEntries(copied), 'content-security-policy': fileContentPolicy };
}

async function locationOf(
  { user, query, now }: Call,
  { access, workspace }: NodeOfWorkspace,
  transfer: 'raw' | 'download',
): Promise<string> {
  const { url } = await transferAddress(access.keys, {
    workspace,
    address: access.address,
    person: user,
    transfer,
    path: query.path,
    urlTemplate: env.WORKSPACE_URL_TEMPLATE,
    now,
  });
  return url;
}
