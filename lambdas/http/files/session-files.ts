import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';

/** What the contracts of files and of git have in common. */
export const sessionParams = z.object({ projectId: Ulid, sessionId: Ulid });

/** Besides 404 for whoever is no member, and 403 for a member whose workspace it is not. */
export const fileErrors = ['WORKSPACE_NOT_RUNNING', 'SERVICE_UNAVAILABLE'] as const;
