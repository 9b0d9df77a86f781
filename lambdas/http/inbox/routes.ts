import { person, type Route } from '../../route-row.js';

export const routes: readonly Route[] = [
  { method: 'GET', path: '/api/inbox', file: 'inbox/list', auth: person, grants: ['table:read'] },
  {
    method: 'DELETE',
    path: '/api/inbox/{itemId}',
    file: 'inbox/dismiss',
    auth: person,
    grants: ['table:write'],
    limit: 'CHANGE',
  },
  {
    method: 'GET',
    path: '/api/push-subscriptions',
    file: 'inbox/list-push',
    auth: person,
    grants: ['table:read', 'push:key'],
  },
  {
    method: 'POST',
    path: '/api/push-subscriptions',
    file: 'inbox/subscribe-push',
    auth: person,
    grants: ['table:write'],
    limit: 'CHANGE',
  },
  {
    method: 'DELETE',
    path: '/api/push-subscriptions/{pushSubscriptionId}',
    file: 'inbox/unsubscribe-push',
    auth: person,
    grants: ['table:write'],
    limit: 'CHANGE',
  },
];
