import * as z from 'zod/mini';
import { Ulid } from '../../protocol/ids.js';

/** What the steps of a task's execution are about. */
export const TaskRun = z.object({ projectId: Ulid, taskId: Ulid, run: z.int() });
