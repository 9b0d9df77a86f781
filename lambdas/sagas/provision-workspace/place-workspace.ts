// provision-workspace: PlaceWorkspace
import * as z from 'zod/mini';
import { waitingNodeId } from '../../domain/nodes/warm-pool.js';
import { reportTaskProgress, reportTaskWaiting } from '../../domain/tasks/task-progress.js';
import { waitForSlot } from '../../domain/workspaces/admission.js';
import { NodeLimitReached } from '../../domain/workspaces/errors.js';
import { findWorkspace } from '../../domain/workspaces/find-workspace.js';
import { placeWorkspace } from '../../domain/workspaces/place-workspace.js';
import { offer } from '../../edge/offer.js';
import { step } from '../../edge/step.js';
import { readEnv } from '../../shared/env.js';
import { fleet } from '../fleet.js';
import { GenerationInput } from '../inputs.js';

const env = readEnv({
  NODE_CAPACITY: z.coerce.number(),
  NODE_SATURATION_PERCENT: z.coerce.number(),
  MAX_NODES_PER_USER: z.coerce.number(),
  MAX_NODES: z.coerce.number(),
  WARM_NODES: z.coerce.number(),
});

const limits = {
  offer,
  nodeCapacity: env.NODE_CAPACITY,
  saturationPercent: env.NODE_SATURATION_PERCENT,
  maxNodesPerUser: env.MAX_NODES_PER_USER,
  maxNodes: env.MAX_NODES,
};

export const handler = step(GenerationInput, async ({ input, table, now, newId }) => {
  const nodeIdFor = async (type: string) =>
    (env.WARM_NODES > 0 ? await waitingNodeId(table, fleet, type) : undefined) ?? newId();
  const placement = await placeWorkspace(table, input, { now, nodeIdFor, limits }).catch(
    async (error: unknown) => {
      if (!(error instanceof NodeLimitReached)) throw error;
      const admission = await waitForSlot(table, input, { full: error, now });
      if (admission.waiting) await reportTaskWaiting(table, admission.waiting, now);
      throw admission.error;
    },
  );
  if (placement.launch || placement.join) {
    const workspace = await findWorkspace(table, input.workspaceId);
    if (workspace) await reportTaskProgress(table, workspace, { step: 'node_provisioning', now });
  }
  return placement;
});
