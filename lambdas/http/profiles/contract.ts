import * as z from 'zod/mini';
import { contract } from '../../edge/contract.js';
import { nextCursor, pageQuery } from '../../edge/contract-parts.js';
import { PresetView, presetContracts, project } from './preset-contracts.js';

export const { create, get, change, remove } = presetContracts('profileId', 'an agent profile');

export const list = contract({
  summary: 'Agent profiles of a project, oldest first',
  params: project,
  query: z.strictObject(pageQuery),
  responses: { 200: z.object({ profiles: z.array(PresetView), nextCursor }) },
});
