// GET /.well-known/jwks.json
import { publicRoute } from '../../edge/anonymous-routes.js';
import { signingKeys } from '../../shared/clients/signing-keys.js';
import { jwks } from './contract.js';

export const handler = publicRoute(jwks, async () => ({
  status: 200,
  body: { keys: [...(await signingKeys.publicKeys())] },
  // A key is published for long before it signs, so five minutes of cache miss nothing.
  headers: { 'cache-control': 'public, max-age=300' },
}));
