import * as z from 'zod/mini';
import { contract } from '../../edge/contract.js';
import { nextCursor, pageQuery } from '../../edge/contract-parts.js';
import { ProfileView, profileContracts, project } from '../profiles/profile-contracts.js';

export const { create, get, change, remove } = profileContracts('skillId', 'a skill');

export const list = contract({
  summary: 'List the skills of a project',
  description: 'Return one page of skills, oldest first.',
  params: project,
  query: z.strictObject(pageQuery),
  responses: { 200: z.object({ skills: z.array(ProfileView), nextCursor }) },
});
