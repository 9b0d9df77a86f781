// $disconnect
import { closeConnection } from '../domain/live/connection.js';
import { socketRoute } from '../edge/socket.js';

export const handler = socketRoute(
  ({ connectionId, table }) => closeConnection(table, connectionId),
  'DISCONNECT',
);
