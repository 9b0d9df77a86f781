import type { LiveServerMessage } from '../../protocol/live.js';
import { push } from '../domain/live/push.js';
import type { SocketCall } from '../edge/socket.js';
import { liveSockets } from '../shared/clients/live-sockets.js';

/** Answers the client on its connection: a WebSocket API's route responses are not relied on. */
export const reply = ({ table, connectionId }: SocketCall, message: LiveServerMessage): Promise<void> =>
  push({ client: liveSockets, table }, connectionId, message);

export const badMessage = (call: SocketCall): Promise<void> =>
  reply(call, {
    type: 'error',
    error: 'BAD_REQUEST',
    message:
      'Send {"action":"subscribe"|"unsubscribe","topic":"workspace|project|chat:<id>"} or {"action":"ping"}',
  });
