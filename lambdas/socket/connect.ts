// $connect
import { openConnection } from '../domain/live/connection.js';
import { socketRoute } from '../edge/socket.js';

export const handler = socketRoute(
  ({ connectionId, user, table, now }) => openConnection(table, { connectionId, ...user }, now),
  'CONNECT',
);
