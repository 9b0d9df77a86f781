import * as z from 'zod/mini';
import { Ulid } from '../../protocol/ids.js';

/** What saga steps are about: one life of a workspace. */
export const Life = z.object({ workspaceId: Ulid, generation: z.int() });
