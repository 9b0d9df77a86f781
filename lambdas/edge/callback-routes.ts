import type { NodeCallbackClaims, WorkspaceCallbackClaims } from '../../protocol/tokens.js';
import { InvalidToken, NodeCallbackUnauthorized, nodeCallbackForbidden } from '../domain/tokens/errors.js';
import type { Claims } from '../domain/tokens/issue-token.js';
import { verifyToken } from '../domain/tokens/verify-token.js';
import type { WorkspaceGeneration } from '../domain/workspaces/find-workspace.js';
import { table } from '../shared/clients/documents.js';
import { signingKeys } from '../shared/clients/signing-keys.js';
import type { SigningKeys } from '../shared/signing-keys.js';
import type { Table } from '../shared/table.js';
import type { Contract } from './contract.js';
import { bearerOf } from './http-request.js';
import { limitedByNode, limitedByWorkspace } from './limited-by.js';
import { ownRow } from './own-row.js';
import { type Call, type Handle, type HttpHandler, type ReplyOf, route } from './route.js';

/**
 * The claims of the request's callback token (Authorization: Bearer).
 *
 * @throws {NodeCallbackUnauthorized}
 */
async function callbackClaims<Kind extends 'nodeCallback' | 'workspaceCallback'>(
  keys: SigningKeys,
  kind: Kind,
  call: Pick<Call, 'request' | 'now'>,
): Promise<Claims<Kind>> {
  const token = bearerOf(call);
  if (!token) throw new NodeCallbackUnauthorized();
  try {
    return await verifyToken(keys, kind, { token, now: call.now });
  } catch (error) {
    if (error instanceof InvalidToken) throw new NodeCallbackUnauthorized({ cause: error.cause });
    throw error;
  }
}

export interface ByWorkspace {
  readonly workspaceId: string;
  readonly nodeId: string;
  /** The generation that the token was issued for. The domain checks that it is the current one. */
  readonly generation: number;
  readonly token: WorkspaceCallbackClaims;
  readonly table: Table;
}

/** A route for one generation of the workspace `{workspaceId}`, on its node. */
export function workspaceCallbackRoute<C extends Contract, const Out extends ReplyOf<C>>(
  contract: C,
  handle: Handle<C, ByWorkspace, Out>,
): HttpHandler {
  ownRow('workspaceCallback');
  return route(
    contract,
    {
      identify: async (event, call) => {
        const token = await callbackClaims(signingKeys, 'workspaceCallback', call);
        if (token.sub !== event.pathParameters?.workspaceId) throw nodeCallbackForbidden();
        return { workspaceId: token.sub, nodeId: token.node, generation: token.generation, token, table };
      },
      limiter: limitedByWorkspace,
    },
    handle,
  );
}

interface ByNode {
  readonly nodeId: string;
  readonly token: NodeCallbackClaims;
  readonly table: Table;
}

/** A route for the node `{nodeId}`. The domain checks that the node still exists. */
export function nodeCallbackRoute<C extends Contract, const Out extends ReplyOf<C>>(
  contract: C,
  handle: Handle<C, ByNode, Out>,
): HttpHandler {
  ownRow('nodeCallback');
  return route(
    contract,
    {
      identify: async (event, call) => {
        const token = await callbackClaims(signingKeys, 'nodeCallback', call);
        if (token.sub !== event.pathParameters?.nodeId) throw nodeCallbackForbidden();
        return { nodeId: token.sub, token, table };
      },
      limiter: limitedByNode,
    },
    handle,
  );
}

/**
 * A route for the workspace of the callback token, about one of its agent sessions. The domain
 * checks that session and project of the path belong to that workspace, and answers 404 otherwise.
 */
export function agentCallbackRoute<C extends Contract, const Out extends ReplyOf<C>>(
  contract: C,
  handle: Handle<C, ByWorkspace, Out>,
): HttpHandler {
  ownRow('agentCallback');
  return route(
    contract,
    {
      identify: async (_event, call) => {
        const token = await callbackClaims(signingKeys, 'workspaceCallback', call);
        return { workspaceId: token.sub, nodeId: token.node, generation: token.generation, token, table };
      },
      limiter: limitedByWorkspace,
    },
    handle,
  );
}

interface ByNodeOrWorkspace {
  readonly nodeId: string;
  /** The workspace generation that the token names; absent for the token of a node. */
  readonly reporter: WorkspaceGeneration | undefined;
  readonly table: Table;
}

/** A route for nodes and for workspaces on them. The domain checks what each may report. */
export function anyCallbackRoute<C extends Contract, const Out extends ReplyOf<C>>(
  contract: C,
  handle: Handle<C, ByNodeOrWorkspace, Out>,
): HttpHandler {
  ownRow('anyCallback');
  return route(contract, { identify: async (_event, call) => ({ ...(await caller(call)), table }) }, handle);
}

async function caller(call: Call): Promise<Omit<ByNodeOrWorkspace, 'table'>> {
  try {
    const { sub: nodeId } = await callbackClaims(signingKeys, 'nodeCallback', call);
    return { nodeId, reporter: undefined };
  } catch (error) {
    if (!(error instanceof NodeCallbackUnauthorized)) throw error;
  }
  const { sub: workspaceId, node, generation } = await callbackClaims(signingKeys, 'workspaceCallback', call);
  return { nodeId: node, reporter: { workspaceId, generation } };
}
