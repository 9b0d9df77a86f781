import type { EmulatorAccess } from '../../local/access/keys.js';

/** The emulator of the integration tests, as emulator.setup.ts leaves it in the environment. */
export const emulatorAccess = (): EmulatorAccess => ({
  endpoint: process.env.AWS_ENDPOINT_URL ?? '',
  keys: {
    accessKeyId: process.env.AWS_ACCESS_KEY_ID ?? '',
    secretAccessKey: process.env.AWS_SECRET_ACCESS_KEY ?? '',
    frontSecret: 'none',
  },
});
