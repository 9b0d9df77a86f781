import type { WorkspaceCallbackClaims } from '../../protocol/tokens.js';
import { nodeCallbackForbidden } from '../domain/tokens/errors.js';
import { table } from '../shared/clients/documents.js';
import { signingKeys } from '../shared/clients/signing-keys.js';
import type { Table } from '../shared/table.js';
import { callbackClaims } from './callback-claims.js';
import type { Contract } from './contract.js';
import { limitedByWorkspace } from './limited-by.js';
import { ownRow } from './own-row.js';
import { type Handle, type HttpHandler, type ReplyOf, route } from './route.js';

export interface ByWorkspace {
  readonly workspaceId: string;
  readonly nodeId: string;
  /** The generation that the token was issued for; whether it is the present one is the domain's to check. */
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
    async (event, call) => {
      const token = await callbackClaims(signingKeys, 'workspaceCallback', call);
      if (token.sub !== event.pathParameters?.workspaceId) throw nodeCallbackForbidden();
      return { workspaceId: token.sub, nodeId: token.node, generation: token.generation, token, table };
    },
    handle,
    limitedByWorkspace,
  );
}
