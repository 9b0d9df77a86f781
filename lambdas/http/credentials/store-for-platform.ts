// POST /api/admin/credentials
import { superadminRoute } from '../../edge/session-route.js';
import { storeForPlatform } from './contract.js';
import { storeCredentialOf } from './store-credential.js';

export const handler = superadminRoute(storeForPlatform, (call) =>
  storeCredentialOf({ kind: 'platform' }, call),
);
