// GET /openapi.json

import { publicRoute } from '../../edge/anonymous-routes.js';
import { clientsForTools } from '../documents.js';
import { openapi } from './contract.js';

// Made at load from the contracts themselves: there is no copy that could be out of date.
export const handler = publicRoute(openapi, () => ({
  status: 200,
  body: { ...clientsForTools },
  headers: { 'cache-control': 'public, max-age=300' },
}));
