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
  /** Headers of the request that the node is to know. */
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

/** What the client learns of a file from its node. */
const forwardedHeaders = [
  'content-type',
  'content-disposition',
  'content-range',
  'accept-ranges',
  'cache-control',
  'etag',
  'last-modified',
];

/** The bytes of a file where a function can carry them, else the way to the node that does. */
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
    // The node stops to send what nobody reads.
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

/** With a policy of our own in any case: the file must not act at this origin, whatever node sends it. */
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
