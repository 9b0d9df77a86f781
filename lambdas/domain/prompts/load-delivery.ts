import type { Table } from '../../shared/table.js';
import { AgentSession, agentSessionKey } from '../agent-sessions/agent-session.js';
import type { Chat } from '../chats/chat.js';
import { mayNow } from '../policy/may-now.js';
import { memberKey } from '../projects/member.js';
import { projectKey } from '../projects/project.js';
import { getItems } from '../records/batch-items.js';
import { isSuspended, userKey } from '../users/user.js';
import { Workspace, workspaceKey } from '../workspaces/workspace.js';
import type { Target } from './choose-step.js';
import { loneOf } from './lone-prompt.js';
import { Prompt, promptKey } from './prompt.js';

export interface LoadedDelivery {
  readonly prompt: Prompt;
  readonly target: Target;
}

/**
 * A prompt with its target, what waits alone in its chat, if that is another one, and whether the creator of the chat may
 * prompt at this moment: the right may have ended since the prompt was accepted. One table call.
 */
export async function loadDelivery(table: Table, chat: Chat, deliveryId: string): Promise<LoadedDelivery> {
  const { chatId, projectId, userId, workspaceId, agentSessionId, unconfirmedId } = chat;
  const authority = { project: projectKey(projectId), member: memberKey(projectId, userId) };
  const key = promptKey(chatId, deliveryId);
  const otherAt = (id: string | undefined) =>
    id === undefined || id === deliveryId ? undefined : promptKey(chatId, id);
  const last = otherAt(unconfirmedId);
  const alone = otherAt(loneOf(chat)?.deliveryId);
  const place = workspaceId === null ? undefined : workspaceKey(workspaceId);
  const seat = workspaceId && agentSessionId ? agentSessionKey(workspaceId, agentSessionId) : undefined;
  const owner = userKey(chat.userId);
  const find = await getItems(
    table,
    [key, last, alone, place, seat, owner, ...Object.values(authority)].filter((one) => one !== undefined),
  );
  const before = last && find(last);
  const lone = alone && find(alone);
  const workspace = place && find(place);
  const session = seat && find(seat);
  return {
    prompt: Prompt.parse(find(key)),
    target: {
      chat,
      unconfirmed: before && Prompt.parse(before),
      lone: lone && Prompt.parse(lone),
      workspace: workspace && Workspace.parse(workspace),
      session: session && AgentSession.parse(session),
      isAllowed:
        !isSuspended(find(owner)) &&
        mayNow('chat.prompt', { project: find(authority.project), member: find(authority.member) }),
    },
  };
}
