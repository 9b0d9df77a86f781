// GET /openapi.json

import { publicRoute } from '../../edge/anonymous-routes.js';
import { openApiDocument } from '../../edge/openapi/document.js';
import { routes } from '../../routes.js';
import { contractOf } from '../contracts.js';
import { openapi } from './contract.js';

// Made at load from the contracts themselves: there is no copy that could be out of date.
const document = openApiDocument(routes, contractOf);

export const handler = publicRoute(openapi, () => ({
  status: 200,
  body: { ...document },
  headers: { 'cache-control': 'public, max-age=300' },
}));
