import { anyone, own, person, type Route } from '../../route-row.js';

export const routes: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/auth/sign-in/social',
    file: 'auth/sign-in',
    auth: anyone,
    grants: ['table:write', 'codehost:app'],
    limit: 'SIGN_IN',
  },
  {
    method: 'GET',
    path: '/api/auth/callback/{provider}',
    file: 'auth/callback',
    auth: own,
    grants: ['table:write', 'codehost:app', 'secrets:seal'],
    limit: 'SIGN_IN_RETURN',
  },
  {
    method: 'POST',
    path: '/api/auth/sign-out',
    file: 'auth/sign-out',
    auth: own,
    grants: ['table:write'],
    limit: 'SIGN_OUT',
  },
  { method: 'GET', path: '/api/auth/session', file: 'auth/session', auth: own, grants: ['table:read'] },
  { method: 'GET', path: '/api/auth/sessions', file: 'auth/sessions', auth: person, grants: ['table:read'] },
  {
    method: 'DELETE',
    path: '/api/auth/sessions/{sessionId}',
    file: 'auth/end-session',
    auth: person,
    grants: ['table:write'],
    limit: 'CHANGE',
  },
  {
    method: 'POST',
    path: '/api/auth/sign-out-everywhere',
    file: 'auth/sign-out-everywhere',
    auth: person,
    grants: ['table:write'],
    limit: 'SIGN_OUT_EVERYWHERE',
  },
];
