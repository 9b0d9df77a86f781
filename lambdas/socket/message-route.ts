import { LiveClientMessage, type LiveServerMessage } from '../../protocol/live.js';
import { countMessage } from '../domain/live/count-message.js';
import { push } from '../domain/live/push.js';
import { type SocketCall, socketRoute } from '../edge/socket.js';
import { liveSockets } from '../shared/clients/live-sockets.js';

type Action = LiveClientMessage['action'];
type MessageOf<A extends Action> = Extract<LiveClientMessage, { action: A }>;

/** A route for messages with this action. Any other message gets BAD_REQUEST. */
export const messageRoute = <const A extends Action>(
  action: A,
  handle: (call: SocketCall, message: MessageOf<A>) => Promise<void>,
) =>
  socketRoute(async (call) => {
    const { table, connectionId, user, now } = call;
    const sender = { userId: user.userId, connectionId, now };
    if (!(await countMessage({ client: liveSockets, table }, sender))) return;
    const message = readMessage(call.text, action);
    await (message ? handle(call, message) : reply(call, badMessage));
  });

/** Answers on the connection: clients do not get the route responses of a WebSocket API. */
export const reply = ({ table, connectionId }: SocketCall, message: LiveServerMessage): Promise<void> =>
  push({ client: liveSockets, table }, connectionId, message);

const badMessage: LiveServerMessage = {
  type: 'error',
  error: 'BAD_REQUEST',
  message:
    'Send {"action":"subscribe"|"unsubscribe","topic":"workspace|project|chat:<id>"} or {"action":"ping"}',
};

function readMessage<A extends Action>(text: string, action: A): MessageOf<A> | undefined {
  const message = LiveClientMessage.safeParse(parseJson(text));
  if (!message.success || message.data.action !== action) return undefined;
  // The checker does not narrow a union through a type parameter.
  return message.data as MessageOf<A>;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
