import type { Route } from '../../route-row.js';

const path = '/api/projects/{projectId}/event-subscriptions';
const read = { auth: { kind: 'capability', capability: 'task:read' }, grants: ['table:read'] } as const;

export const routes: readonly Route[] = [
  { method: 'GET', path, file: 'event-subscriptions/list', ...read },
  { method: 'GET', path: `${path}/{subscriptionId}`, file: 'event-subscriptions/get', ...read },
  {
    method: 'GET',
    path: `${path}/{subscriptionId}/deliveries`,
    file: 'event-subscriptions/deliveries',
    ...read,
  },
  {
    method: 'POST',
    path: `${path}/{subscriptionId}/cancel`,
    file: 'event-subscriptions/cancel',
    auth: { kind: 'capability', capability: 'task:write' },
    grants: ['table:write'],
    limit: 'CHANGE',
  },
];
