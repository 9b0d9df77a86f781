// POST /api/credentials
import { sessionRoute } from '../../edge/session-route.js';
import { store } from './contract.js';
import { storeFor } from './store-for.js';

export const handler = sessionRoute(store, (call) => storeFor({ kind: 'user', id: call.user.userId }, call));
