// $connect
import { openSocket } from '../domain/live/open-socket.js';
import { socketRoute } from '../edge/socket.js';
import { liveSockets } from '../shared/clients/live-sockets.js';

export const handler = socketRoute(
  ({ connectionId, user, table, now }) =>
    openSocket({ client: liveSockets, table }, { connectionId, ...user, now }),
  'CONNECT',
);
