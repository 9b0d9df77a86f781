import * as z from 'zod/mini';
import { readSuperadmins } from '../domain/users/superadmins.js';
import { readEnv } from '../shared/env.js';

const env = readEnv({ SUPERADMINS: z._default(z.string(), '') });

/** Of this deployment. Read from the environment, so that a changed setting holds once it is deployed. */
export const superadmins = readSuperadmins(env.SUPERADMINS);
