// stop-workspace: MarkStopped
import { markStopped } from '../../domain/workspaces/mark-stopped.js';
import { step } from '../../edge/step.js';
import { Life } from '../life.js';

export const handler = step(Life, ({ input, table, now }) => markStopped(table, input, now));
