// GET /openapi-callbacks.json

import { publicRoute } from '../../edge/anonymous-routes.js';
import { callbacksForTools } from '../documents.js';
import { openapiCallbacks } from './contract.js';

export const handler = publicRoute(openapiCallbacks, () => ({
  status: 200,
  body: { ...callbacksForTools },
  headers: { 'cache-control': 'public, max-age=300' },
}));
