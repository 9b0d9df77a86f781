import * as z from 'zod/mini';
import { contract } from '../../edge/contract.js';
import { nextCursor, pageQuery } from '../../edge/contract-parts.js';
import { ProfileView, profileContracts, project } from './profile-contracts.js';

export const { create, get, change, remove } = profileContracts('profileId', 'an agent profile');

export const list = contract({
  summary: 'List the agent profiles of a project',
  description: 'Return one page of agent profiles, oldest first.',
  params: project,
  query: z.strictObject(pageQuery),
  responses: { 200: z.object({ profiles: z.array(ProfileView), nextCursor }) },
});
