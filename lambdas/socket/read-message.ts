import { LiveClientMessage } from '../../protocol/live.js';

type Action = LiveClientMessage['action'];
type MessageOf<A extends Action> = Extract<LiveClientMessage, { action: A }>;

/**
 * The client's message, if it is one of this action; what is wrong with it is the client's to find
 * out.
 */
export function readMessage<const A extends Action>(text: string, action: A): MessageOf<A> | undefined {
  const message = LiveClientMessage.safeParse(parseJson(text));
  if (!message.success || message.data.action !== action) return undefined;
  // Narrowed by its action just above, which the checker does not follow through a type parameter.
  return message.data as MessageOf<A>;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
