// POST /api/projects/{projectId}/members/{userId}/accept-ownership
import { notOfferedToYou } from '../../domain/members/errors.js';
import { acceptOwnership } from '../../domain/members/ownership-offer.js';
import * as contracts from './contract.js';
import { memberRoute } from './member-route.js';
import { memberView } from './member-view.js';

export const handler = memberRoute(
  contracts.acceptOwnership,
  async ({ project, member, target, table, now }) => {
    if (member.userId !== target.userId) throw notOfferedToYou();
    const owner = await acceptOwnership(table, { project, member, now });
    return { status: 200, body: memberView(owner, { project, now }) };
  },
);
