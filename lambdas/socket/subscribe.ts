// subscribe
import type { LiveServerMessage } from '../../protocol/live.js';
import { findConnection, maxSubscriptions, subscribe } from '../domain/live/connection.js';
import { statusMessage } from '../domain/live/messages.js';
import { workspaceOf } from '../domain/live/topic.js';
import { findWorkspace } from '../domain/workspaces/find-workspace.js';
import type { Workspace } from '../domain/workspaces/workspace.js';
import { type SocketCall, socketRoute } from '../edge/socket.js';
import { readMessage } from './read-message.js';
import { badMessage, reply } from './socket-reply.js';

export const handler = socketRoute(async (call) => {
  const message = readMessage(call.text, 'subscribe');
  if (!message) return badMessage(call);
  const { topic, requestId } = message;
  const [answer, ...rest] = await subscribed(call, topic);
  if (answer) await reply(call, { ...answer, ...(requestId ? { requestId } : {}) });
  for (const message of rest) await reply(call, message);
});

/** Whose it is, then the subscription, then the state: what changes meanwhile is told, maybe twice, never lost. */
async function subscribed(call: SocketCall, topic: string): Promise<readonly LiveServerMessage[]> {
  const { table, connectionId } = call;
  const connection = await findConnection(table, connectionId);
  if (!connection) return [refusal('CONFLICT', 'The connection is ending; open another')];
  if (!(await ownWorkspace(call, topic))) return [refusal('NOT_FOUND', 'Workspace not found')];
  if (!(await subscribe(table, connection, topic))) {
    return [refusal('LIMIT_EXCEEDED', `At most ${maxSubscriptions} subscriptions for a connection`)];
  }
  const workspace = await ownWorkspace(call, topic);
  return [{ type: 'subscribed', topic }, ...(workspace ? [statusMessage(workspace)] : [])];
}

async function ownWorkspace({ table, user }: SocketCall, topic: string): Promise<Workspace | undefined> {
  const workspace = await findWorkspace(table, workspaceOf(topic));
  return workspace?.userId === user.userId && workspace.status !== 'deleted' ? workspace : undefined;
}

const refusal = (error: string, message: string): LiveServerMessage => ({ type: 'error', error, message });
