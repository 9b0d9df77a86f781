// provision-workspace: PlaceWorkspace
import * as z from 'zod/mini';
import { placeWorkspace } from '../../domain/workspaces/place-workspace.js';
import { step } from '../../edge/step.js';
import { readEnv } from '../../shared/env.js';
import { Life } from '../life.js';

const env = readEnv({ NODE_CAPACITY: z.coerce.number(), MAX_NODES_PER_USER: z.coerce.number() });
const limits = { nodeCapacity: env.NODE_CAPACITY, maxNodesPerUser: env.MAX_NODES_PER_USER };

export const handler = step(Life, ({ input, table, now, newId }) =>
  placeWorkspace(table, input, { now, newNodeId: newId(), limits }),
);
