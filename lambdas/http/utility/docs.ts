// GET /docs

import { publicRoute } from '../../edge/anonymous-routes.js';
import { docsPage } from '../../edge/openapi/docs-page.js';
import { docsSearchHash } from '../../edge/openapi/docs-search.js';
import { documentOfClients } from '../documents.js';
import { docs } from './contract.js';

const page = docsPage(documentOfClients);

export const handler = publicRoute(docs, () => ({
  status: 200,
  text: page,
  headers: {
    'cache-control': 'public, max-age=300',
    // Nothing is loaded. Styles and the script of the search are in the page itself.
    'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; script-src ${docsSearchHash}; frame-ancestors 'none'`,
  },
}));
