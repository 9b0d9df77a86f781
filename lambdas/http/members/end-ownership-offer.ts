// DELETE /api/projects/{projectId}/members/{userId}/ownership-offer
import { endOffer } from '../../domain/members/ownership-offer.js';
import { endOwnershipOffer } from './contract.js';
import { memberRoute } from './member-route.js';

export const handler = memberRoute(endOwnershipOffer, async ({ member, target, table }) => {
  await endOffer(table, { actor: member, target });
  return { status: 200, body: { success: true } };
});
