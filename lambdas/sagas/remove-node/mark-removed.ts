// remove-node: MarkRemoved
import { markNodeRemoved } from '../../domain/nodes/removal.js';
import { step } from '../../edge/step.js';
import { Removal } from '../inputs.js';

export const handler = step(Removal, ({ input: { nodeId, mode }, table, now }) =>
  markNodeRemoved(table, { nodeId, mode, now }),
);
