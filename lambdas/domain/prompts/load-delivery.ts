import type { SigningKeys } from '../../shared/signing-keys.js';
import type { Table } from '../../shared/table.js';
import { AgentSession, agentSessionKey } from '../agent-sessions/agent-session.js';
import type { Chat } from '../chats/chat.js';
import { nodeTimeouts } from '../node-client/node-access.js';
import { addressOf } from '../node-client/node-address.js';
import { NodePrompts } from '../node-client/prompt-calls.js';
import { findNode } from '../nodes/find-node.js';
import { mayNow } from '../policy/allow.js';
import { memberKey } from '../projects/member.js';
import { projectKey } from '../projects/project.js';
import { getItems } from '../records/batch-items.js';
import { isSuspended, userKey } from '../users/user.js';
import { Workspace, workspaceKey } from '../workspaces/workspace.js';
import { Prompt, promptKey } from './prompt.js';
import { unqueuedOf } from './queue.js';

/** The recipient of a prompt, as it is now. A deleted workspace or agent session is undefined. */
export interface DeliveryTarget {
  readonly chat: Chat;
  readonly workspace: Workspace | undefined;
  readonly session: AgentSession | undefined;
  /**
   * Whether the creator of the chat may prompt it now. An agent sends only on behalf of this
   * person.
   */
  readonly isAllowed: boolean;
  /** Another prompt that the node took last, whose agent has not confirmed it yet. */
  readonly unconfirmed: Prompt | undefined;
  /** Another prompt of the chat that is not in the queue. */
  readonly unqueued: Prompt | undefined;
}

export interface LoadedDelivery {
  readonly prompt: Prompt;
  readonly target: DeliveryTarget;
}

/**
 * A prompt and its recipient. Rights are read too: they may have changed since acceptance. One
 * table call.
 */
export async function loadDelivery(table: Table, chat: Chat, deliveryId: string): Promise<LoadedDelivery> {
  const { chatId, projectId, userId, workspaceId, agentSessionId, unconfirmedId } = chat;
  const other = (id: string | undefined) =>
    id === undefined || id === deliveryId ? undefined : promptKey(chatId, id);
  const keys = {
    prompt: promptKey(chatId, deliveryId),
    unconfirmed: other(unconfirmedId),
    unqueued: other(unqueuedOf(chat)?.deliveryId),
    workspace: workspaceId === null ? undefined : workspaceKey(workspaceId),
    session: workspaceId && agentSessionId ? agentSessionKey(workspaceId, agentSessionId) : undefined,
    creator: userKey(userId),
    project: projectKey(projectId),
    member: memberKey(projectId, userId),
  };
  const find = await getItems(
    table,
    Object.values(keys).filter((key) => key !== undefined),
  );
  const found = (name: keyof typeof keys) => {
    const key = keys[name];
    return key && find(key);
  };
  const parsed = <Value>(name: keyof typeof keys, parse: (item: unknown) => Value) => {
    const item = found(name);
    return item && parse(item);
  };
  const authority = { project: found('project'), member: found('member') };
  return {
    prompt: Prompt.parse(found('prompt')),
    target: {
      chat,
      unconfirmed: parsed('unconfirmed', (item) => Prompt.parse(item)),
      unqueued: parsed('unqueued', (item) => Prompt.parse(item)),
      workspace: parsed('workspace', (item) => Workspace.parse(item)),
      session: parsed('session', (item) => AgentSession.parse(item)),
      isAllowed: !isSuspended(found('creator')) && mayNow('chat.prompt', authority),
    },
  };
}

export interface NodeDeps {
  readonly keys: SigningKeys;
  readonly now: Date;
}

/**
 * A client of the node that runs the agent session; undefined when the node is gone. One table
 * call.
 */
export async function openNode(
  table: Table,
  { keys, now }: NodeDeps,
  { workspace, session }: DeliveryTarget,
): Promise<NodePrompts | undefined> {
  if (!workspace?.nodeId || !session) return undefined;
  const address = addressOf(await findNode(table, workspace.nodeId));
  if (!address) return undefined;
  return NodePrompts.open({ keys, address, now, timeoutMs: nodeTimeouts.request }, session);
}
