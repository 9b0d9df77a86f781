import * as z from 'zod/mini';
import { contract } from '../../edge/contract.js';
import { nextCursor, pageQuery } from '../../edge/contract-parts.js';
import { PresetView, presetContracts, project } from '../profiles/preset-contracts.js';

export const { create, get, change, remove } = presetContracts('skillId', 'a skill');

export const list = contract({
  summary: 'Skills of a project, oldest first',
  params: project,
  query: z.strictObject(pageQuery),
  responses: { 200: z.object({ skills: z.array(PresetView), nextCursor }) },
});
