import * as z from 'zod/mini';
import { Envelope } from '../domain/secrets/envelope.js';
import { kms } from '../shared/clients/kms.js';
import { readEnv } from '../shared/env.js';
import { KmsDataKeys } from '../shared/kms-data-keys.js';

const env = readEnv({ DATA_KEY_ARN: z.string() });

/** Seals and opens stored secrets with the deployment's data key. */
export const secretBox = new Envelope(new KmsDataKeys(kms, env.DATA_KEY_ARN));
