import * as z from 'zod/mini';
import { Ulid } from '../../protocol/ids.js';
import { removalModes } from '../domain/nodes/node-status.js';

/** What the steps of remove-node are about. */
export const Removal = z.object({ nodeId: Ulid, mode: z.enum(removalModes) });
