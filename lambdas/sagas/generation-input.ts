import * as z from 'zod/mini';
import { Ulid } from '../../protocol/ids.js';

/** The input of saga steps about one generation of a workspace. */
export const GenerationInput = z.object({ workspaceId: Ulid, generation: z.int() });

/** The input of steps that end a generation; `nodeConfirmed`: its node holds nothing of it. */
export const GenerationEndInput = z.extend(GenerationInput, { nodeConfirmed: z.boolean() });
