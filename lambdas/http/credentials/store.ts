// POST /api/credentials
import { sessionRoute } from '../../edge/session-route.js';
import { store } from './contract.js';
import { storeCredentialOf } from './store-credential.js';

export const handler = sessionRoute(store, (call) =>
  storeCredentialOf({ kind: 'user', id: call.user.userId }, call),
);
