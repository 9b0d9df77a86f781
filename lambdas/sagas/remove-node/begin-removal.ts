// remove-node: BeginRemoval
import { beginRemoval } from '../../domain/nodes/removal.js';
import { step } from '../../edge/step.js';
import { Removal } from '../removal.js';

/** Whoever started the saga has claimed the removal; this makes sure of it, and joins. */
export const handler = step(Removal, async ({ input, table, now }) => {
  await beginRemoval(table, { ...input, now });
});
