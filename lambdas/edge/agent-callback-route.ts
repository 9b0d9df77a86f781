import { table } from '../shared/clients/documents.js';
import { signingKeys } from '../shared/clients/signing-keys.js';
import { callbackClaims } from './callback-claims.js';
import type { Contract } from './contract.js';
import { limitedByWorkspace } from './limited-by.js';
import { ownRow } from './own-row.js';
import { type Handle, type HttpHandler, type ReplyOf, route } from './route.js';
import type { ByWorkspace } from './workspace-callback-route.js';

/**
 * A route for the workspace that its callback token names, about an agent session of its own; whether the session and the
 * project of the path are that workspace's is the domain's to check: they are not found otherwise.
 */
export function agentCallbackRoute<C extends Contract, const Out extends ReplyOf<C>>(
  contract: C,
  handle: Handle<C, ByWorkspace, Out>,
): HttpHandler {
  ownRow('agentCallback');
  return route(
    contract,
    async (_event, call) => {
      const token = await callbackClaims(signingKeys, 'workspaceCallback', call);
      return { workspaceId: token.sub, nodeId: token.node, generation: token.generation, token, table };
    },
    handle,
    limitedByWorkspace,
  );
}
