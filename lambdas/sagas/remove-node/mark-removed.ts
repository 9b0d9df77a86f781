// remove-node: MarkRemoved
import { markNodeDeleted, markNodeStopped } from '../../domain/nodes/removal.js';
import { step } from '../../edge/step.js';
import { Removal } from '../inputs.js';

export const handler = step(Removal, ({ input: { nodeId, mode }, table, now }) =>
  mode === 'stop' ? markNodeStopped(table, nodeId, now) : markNodeDeleted(table, nodeId, now),
);
