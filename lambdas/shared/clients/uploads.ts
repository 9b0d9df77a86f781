import * as z from 'zod/mini';
import { readEnv } from '../env.js';
import { defaultProvider } from '../lambda-credentials.js';
import type { ObjectStore } from '../object-store.js';

const env = readEnv({
  UPLOADS_BUCKET: z.string(),
  AWS_REGION: z.string(),
  AWS_ENDPOINT_URL: z.optional(z.url()),
});

/** What people and nodes upload for the control plane to read. */
export const uploads: ObjectStore = {
  bucket: env.UPLOADS_BUCKET,
  region: env.AWS_REGION,
  credentials: defaultProvider(),
  endpoint: env.AWS_ENDPOINT_URL,
};
