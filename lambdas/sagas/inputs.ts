import * as z from 'zod/mini';
import { Ulid } from '../../protocol/ids.js';
import { removalModes } from '../domain/nodes/node-status.js';

/** One generation of a workspace. */
export const GenerationInput = z.object({ workspaceId: Ulid, generation: z.int() });

/** The end of a generation, and whether the node has confirmed that it holds nothing of it. */
export const GenerationEndInput = z.extend(GenerationInput, { nodeConfirmed: z.boolean() });

/** Input of the steps of remove-node. */
export const Removal = z.object({ nodeId: Ulid, mode: z.enum(removalModes) });

/** Input of the steps of run-task and end-run. */
export const TaskRun = z.object({ projectId: Ulid, taskId: Ulid, run: z.int() });

/** The claim of a sleep. */
export const SleepInput = z.extend(GenerationInput, { claimId: Ulid });
