// POST /api/admin/credentials
import { superadminRoute } from '../../edge/superadmin-route.js';
import { storeForPlatform } from './contract.js';
import { storeFor } from './store-for.js';

export const handler = superadminRoute(storeForPlatform, (call) => storeFor({ kind: 'platform' }, call));
