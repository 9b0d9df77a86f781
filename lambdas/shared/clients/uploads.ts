import * as z from 'zod/mini';
import { readEnv } from '../env.js';
import type { ObjectStore } from '../object-store.js';
import { s3 } from './s3.js';

const env = readEnv({ UPLOADS_BUCKET: z.string(), AWS_ENDPOINT_URL: z.optional(z.url()) });

/** What people and nodes upload for the control plane to read. */
export const uploads: ObjectStore = { s3, bucket: env.UPLOADS_BUCKET, endpoint: env.AWS_ENDPOINT_URL };
