// provision-workspace: MarkErrored (undo: the fence)
import * as z from 'zod/mini';
import { failureMessage } from '../../domain/workspaces/failure-message.js';
import { markErrored } from '../../domain/workspaces/provisioning.js';
import { step } from '../../edge/step.js';
import { GenerationInput } from '../inputs.js';

const Input = z.extend(GenerationInput, {
  failure: z.object({ step: z.string(), error: z.string(), cause: z.string() }),
  timeouts: z.record(z.string(), z.number()),
  heartbeats: z.record(z.string(), z.number()),
});

export const handler = step(Input, async ({ input, table, now, log }) => {
  const errorMessage = failureMessage(input.failure, input);
  const undo = await markErrored(table, input, { errorMessage, now });
  log.warn('Provisioning failed', { workspaceId: input.workspaceId, failure: input.failure, undo });
  return { undo: undo.undo, dispatched: undo.undo && undo.dispatched };
});
