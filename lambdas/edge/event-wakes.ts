import * as z from 'zod/mini';
import { readEnv } from '../shared/env.js';

const env = readEnv({ PROJECT_EVENT_WAKE_ENABLED: z._default(z.enum(['true', 'false']), 'false') });

/** Whether events wake agents in this deployment. */
export const isEventWakeEnabled = env.PROJECT_EVENT_WAKE_ENABLED === 'true';
