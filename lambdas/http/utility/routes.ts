import { anyone, type Route } from '../../route-row.js';

export const routes: readonly Route[] = [
  {
    method: 'GET',
    path: '/health',
    file: 'utility/health',
    auth: anyone,
    grants: ['table:read'],
    isDirect: true,
  },
  {
    method: 'GET',
    path: '/.well-known/jwks.json',
    file: 'utility/jwks',
    auth: anyone,
    grants: ['tokens:verify'],
    isDirect: true,
  },
  { method: 'GET', path: '/openapi.json', file: 'utility/openapi', auth: anyone, grants: [] },
  {
    method: 'GET',
    path: '/openapi-callbacks.json',
    file: 'utility/openapi-callbacks',
    auth: anyone,
    grants: [],
  },
  { method: 'GET', path: '/docs', file: 'utility/docs', auth: anyone, grants: [] },
  {
    method: 'GET',
    path: '/api/agent/download',
    file: 'utility/download-agent',
    auth: anyone,
    grants: ['artifacts:read'],
    isDirect: true,
  },
];
