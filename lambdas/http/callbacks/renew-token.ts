// POST /api/workspaces/{workspaceId}/callback-token/renew
import { InvalidToken, NodeCallbackUnauthorized, nodeCallbackForbidden } from '../../domain/tokens/errors.js';
import { isRenewalDue, issueToken } from '../../domain/tokens/issue-token.js';
import { verifyToken } from '../../domain/tokens/verify-token.js';
import { findUser } from '../../domain/users/find-user.js';
import { isSuspended } from '../../domain/users/user.js';
import { findWorkspace, requireGeneration } from '../../domain/workspaces/find-workspace.js';
import { workspaceCallbackRoute } from '../../edge/callback-routes.js';
import { signingKeys } from '../../shared/clients/signing-keys.js';
import { renewToken } from './contract.js';

/** Needs the token of the node too: a leaked callback token cannot be renewed elsewhere. */
export const handler = workspaceCallbackRoute(renewToken, async (call) => {
  const { body, workspaceId, nodeId, generation, token, table, now } = call;
  await requireNode(body.nodeToken, { nodeId, claimed: body.nodeId, now });
  const workspace = requireGeneration(await findWorkspace(table, workspaceId), {
    workspaceId,
    nodeId,
    generation,
  });
  if (isSuspended(await findUser(table, workspace.userId))) throw nodeCallbackForbidden();
  if (!isRenewalDue(token, now)) return { status: 200, body: { renewed: false } };
  const claims = { sub: workspaceId, node: nodeId, generation };
  const issued = await issueToken(signingKeys, 'workspaceCallback', { claims, now });
  return { status: 200, body: { renewed: true, token: issued.token, expiresAt: issued.expiresAt } };
});

async function requireNode(
  token: string,
  { nodeId, claimed, now }: { readonly nodeId: string; readonly claimed: string; readonly now: Date },
): Promise<void> {
  if (claimed !== nodeId) throw nodeCallbackForbidden();
  try {
    const { sub } = await verifyToken(signingKeys, 'nodeCallback', { token, now });
    if (sub !== nodeId) throw nodeCallbackForbidden();
  } catch (error) {
    if (error instanceof InvalidToken) throw new NodeCallbackUnauthorized({ cause: error.cause });
    throw error;
  }
}
