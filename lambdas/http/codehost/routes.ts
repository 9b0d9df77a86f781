import { own, person, type Route } from '../../route-row.js';

export const routes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/codehost/installations',
    file: 'codehost/installations',
    auth: person,
    grants: ['table:read'],
  },
  {
    method: 'GET',
    path: '/api/codehost/repositories',
    file: 'codehost/repositories',
    auth: person,
    grants: ['table:write', 'secrets:open', 'secrets:seal', 'codehost:app'],
    limit: 'CODE_HOST',
  },
  {
    method: 'GET',
    path: '/api/codehost/callback',
    file: 'codehost/callback',
    auth: own,
    grants: ['table:write', 'secrets:open', 'secrets:seal', 'codehost:app'],
    limit: 'SIGN_IN_RETURN',
  },
  {
    method: 'POST',
    path: '/api/codehost/webhook',
    file: 'codehost/webhook',
    auth: own,
    grants: ['table:write', 'codehost:webhook'],
    limit: 'CODE_HOST_WEBHOOK',
  },
];
