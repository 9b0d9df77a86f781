// provision-workspace: UnplaceWorkspace (its node was removed before it was ready)
import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { unplaceWorkspace } from '../../domain/workspaces/unplace-workspace.js';
import { step } from '../../edge/step.js';
import { GenerationInput } from '../inputs.js';

const Input = z.extend(GenerationInput, { nodeId: Ulid });

export const handler = step(Input, async ({ input, table, now, log }) => {
  await unplaceWorkspace(table, input, now);
  log.info('Workspace is placed again', input);
});
