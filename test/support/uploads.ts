import type { ObjectStore } from '../../lambdas/shared/object-store.js';
import { emulatorAccess } from './emulator-access.js';
import { functionEnv } from './function-env.js';

/** The bucket of uploads in the emulator. */
export const testObjects = (): ObjectStore => ({
  bucket: functionEnv.UPLOADS_BUCKET,
  region: process.env.AWS_REGION ?? 'us-east-1',
  credentials: async () => emulatorAccess().keys,
  endpoint: process.env.AWS_ENDPOINT_URL,
});
