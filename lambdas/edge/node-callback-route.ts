import type { NodeCallbackClaims } from '../../protocol/tokens.js';
import { nodeCallbackForbidden } from '../domain/tokens/errors.js';
import { table } from '../shared/clients/documents.js';
import { signingKeys } from '../shared/clients/signing-keys.js';
import type { Table } from '../shared/table.js';
import { callbackClaims } from './callback-claims.js';
import type { Contract } from './contract.js';
import { limitedByNode } from './limited-by.js';
import { ownRow } from './own-row.js';
import { type Handle, type HttpHandler, type ReplyOf, route } from './route.js';

export interface ByNode {
  readonly nodeId: string;
  readonly token: NodeCallbackClaims;
  readonly table: Table;
}

/** A route for the node `{nodeId}` itself. Whether the node still exists is the domain's to check. */
export function nodeCallbackRoute<C extends Contract, const Out extends ReplyOf<C>>(
  contract: C,
  handle: Handle<C, ByNode, Out>,
): HttpHandler {
  ownRow('nodeCallback');
  return route(
    contract,
    async (event, call) => {
      const token = await callbackClaims(signingKeys, 'nodeCallback', call);
      if (token.sub !== event.pathParameters?.nodeId) throw nodeCallbackForbidden();
      return { nodeId: token.sub, token, table };
    },
    handle,
    limitedByNode,
  );
}
