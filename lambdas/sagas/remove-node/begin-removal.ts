// remove-node: BeginRemoval
import { beginRemoval } from '../../domain/nodes/removal.js';
import { step } from '../../edge/step.js';
import { Removal } from '../inputs.js';

/** The starter of the saga has claimed the removal. This step verifies the claim. */
export const handler = step(Removal, async ({ input, table, now }) => {
  await beginRemoval(table, { ...input, now });
});
