import * as z from 'zod/mini';
import { readEnv } from '../env.js';
import { KmsSigningKeys } from '../kms-signing-keys.js';
import { kms } from './kms.js';

const env = readEnv({ SIGNING_KEY_ARNS: z.string().check(z.minLength(1)), TOKEN_ISSUER: z.url() });

/** All published keys; the first one signs. */
export const signingKeys = new KmsSigningKeys(kms, env.SIGNING_KEY_ARNS.split(','), env.TOKEN_ISSUER);
