import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { maxMessageLength, maxPriority, maxTitleLength } from '../../domain/tasks/task.js';

export const project = z.object({ projectId: Ulid });
export const task = z.extend(project, { taskId: Ulid });

export const oneLine = 'Must be one line without control characters';

export const title = z
  .string()
  .check(z.trim(), z.minLength(1), z.maxLength(maxTitleLength), z.regex(/^[^\p{Cc}]*$/u, oneLine));
export const description = z.nullable(z.string().check(z.maxLength(maxMessageLength)));
export const priority = z.int().check(z.gte(0), z.lte(maxPriority));
