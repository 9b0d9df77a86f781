// POST /api/bootstrap
// Its own authorisation: the single-use bootstrap token in the body, which only the new instance was told.
import { redeemBootstrapToken } from '../../domain/nodes/bootstrap.js';
import { countRequest } from '../../domain/rate-limits/count-request.js';
import { rateLimits } from '../../domain/rate-limits/rate-limits.js';
import { issueToken } from '../../domain/tokens/issue-token.js';
import { ownRoute } from '../../edge/own-route.js';
import { signingKeys } from '../../shared/clients/signing-keys.js';
import { bootstrap } from './contract.js';

export const handler = ownRoute(bootstrap, async ({ body, table, now, log, request }) => {
  await countRequest(table, rateLimits.BOOTSTRAP, { id: request.clientAddress, now });
  await redeemBootstrapToken(table, body, now);
  const { token, expiresAt } = await issueToken(signingKeys, 'nodeCallback', {
    claims: { sub: body.nodeId },
    now,
  });
  log.info('Bootstrap token redeemed', { nodeId: body.nodeId });
  return { status: 200, body: { callbackToken: token, expiresAt } };
});
