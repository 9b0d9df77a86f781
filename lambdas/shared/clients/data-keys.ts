import * as z from 'zod/mini';
import { readEnv } from '../env.js';
import { KmsDataKeys } from '../kms-data-keys.js';
import { kms } from './kms.js';

const env = readEnv({ DATA_KEY_ARN: z.string() });

export const dataKeys = new KmsDataKeys(kms, env.DATA_KEY_ARN);
