import * as z from 'zod/mini';
import { Ulid } from '../../protocol/ids.js';

/** What saga steps are about: one life of a workspace. */
export const Life = z.object({ workspaceId: Ulid, generation: z.int() });

/** The end of a life, and whether its node has said that it holds nothing of it any more. */
export const LifeEnd = z.extend(Life, { heard: z.boolean() });
