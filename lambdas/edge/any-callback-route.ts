import { NodeCallbackUnauthorized } from '../domain/tokens/errors.js';
import type { WorkspaceGeneration } from '../domain/workspaces/find-workspace.js';
import { table } from '../shared/clients/documents.js';
import { signingKeys } from '../shared/clients/signing-keys.js';
import type { Table } from '../shared/table.js';
import { callbackClaims } from './callback-claims.js';
import type { Contract } from './contract.js';
import { ownRow } from './own-row.js';
import { type Call, type Handle, type HttpHandler, type ReplyOf, route } from './route.js';

export interface ByNodeOrWorkspace {
  readonly nodeId: string;
  /** The generation of a workspace on the node that the token is of; absent when it is the node's own. */
  readonly life: WorkspaceGeneration | undefined;
  readonly table: Table;
}

/** A route for nodes, and for workspaces on them. What each of them may tell of is the domain's to check. */
export function anyCallbackRoute<C extends Contract, const Out extends ReplyOf<C>>(
  contract: C,
  handle: Handle<C, ByNodeOrWorkspace, Out>,
): HttpHandler {
  ownRow('anyCallback');
  return route(contract, async (_event, call) => ({ ...(await caller(call)), table }), handle);
}

async function caller(call: Call): Promise<Omit<ByNodeOrWorkspace, 'table'>> {
  try {
    const { sub: nodeId } = await callbackClaims(signingKeys, 'nodeCallback', call);
    return { nodeId, life: undefined };
  } catch (error) {
    if (!(error instanceof NodeCallbackUnauthorized)) throw error;
  }
  const { sub: workspaceId, node, generation } = await callbackClaims(signingKeys, 'workspaceCallback', call);
  return { nodeId: node, life: { workspaceId, generation } };
}
