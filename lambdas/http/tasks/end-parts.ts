import * as z from 'zod/mini';
import { stepFunctions } from '../../shared/clients/step-functions.js';
import { readEnv } from '../../shared/env.js';

/** What it takes to end a task; for functions that may start that saga. */
export const endParts = { stepFunctions, endRunArn: readEnv({ END_RUN_ARN: z.string() }).END_RUN_ARN };
