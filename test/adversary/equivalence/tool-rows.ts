import { followChannel } from '../../../lambdas/domain/event-channels/follow-channel.js';
import { publish } from '../../../lambdas/domain/event-channels/publish.js';
import { matchIdOf } from '../../../lambdas/domain/event-subscriptions/event-match.js';
import type { EventSubscription } from '../../../lambdas/domain/event-subscriptions/event-subscription.js';
import { recordMatch } from '../../../lambdas/domain/event-subscriptions/record-match.js';
import { admitEvent } from '../../../lambdas/domain/project-events/admit-event.js';
import { acceptPrompt } from '../../../lambdas/domain/prompts/accept-prompt.js';
import type { Task } from '../../../lambdas/domain/tasks/task.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { anEvent, subscribe } from '../../integration/events/event-records.js';
import { readChat } from '../../integration/prompts/a-chat.js';
import type { TestRequest } from '../../support/invoke.js';
import type { TwoMembers } from './two-members.js';

/** What a call is about. */
export interface Subject {
  readonly taskId: string;
  readonly sessionId: string;
  readonly workspaceId: string;
  /** Of the task of the agent that calls. */
  readonly ownTaskId: string;
}

export interface ToolRow {
  /** `own`: the token's session, task and project. `record`: a task or session in an argument. */
  readonly about: 'own' | 'record';
  /** State of the named task in which the tool works; default: in progress. */
  readonly task?: Partial<Task>;
  /** Its HTTP equivalents in a session are about the caller's own. */
  readonly inOwnSession?: true;
  /** It works for nobody: the test has no node, or the deployment lacks what it is about. */
  readonly isRefusedToAll?: true;
  readonly args: (subject: Subject, two: TwoMembers) => object | Promise<object>;
}

const own = (args: ToolRow['args'] = () => ({})): ToolRow => ({ about: 'own', args });
const record = (args: ToolRow['args'], task?: Partial<Task>): ToolRow => ({
  ...{ about: 'record', args },
  ...(task ? { task } : {}),
});
const unavailable = (args: ToolRow['args']): ToolRow => ({ ...own(args), isRefusedToAll: true });
const ofTask = ({ taskId }: Subject) => ({ taskId });
const draft: Partial<Task> = { run: 0, status: 'draft', workspaceId: null, executionStep: null };

/** A good call of every tool. A tool without a row fails the test. */
export const toolRows: Readonly<Record<string, ToolRow>> = {
  get_instructions: own(),
  update_task_status: own(() => ({ message: 'The hinge is off' })),
  complete_task: own(() => ({ summary: 'Done' })),
  request_human_input: own(() => ({ context: 'Green or red?' })),
  dispatch_task: own(() => ({ description: 'Paint the gate' })),
  wait_for_subtasks: {
    ...record(({ taskId }) => ({ taskIds: [taskId], waitKey: newId() })),
    inOwnSession: true,
  },
  list_tasks: own(),
  get_task_details: record(ofTask),
  stop_subtask: record(ofTask),
  retry_subtask: record(ofTask, { run: 1, status: 'failed' }),
  send_message_to_subtask: record(({ taskId }) => ({ taskId, message: 'Use green' })),
  send_durable_message: record(({ taskId }) => ({ targetTaskId: taskId, message: 'Use green' })),
  get_pending_messages: own(),
  ack_message: own(async ({ sessionId }, two) => ({ messageId: await sendOne(two, sessionId) })),
  search_tasks: own(() => ({ query: 'gate' })),
  get_task_dependencies: record(ofTask),
  add_dependency: record(({ taskId, ownTaskId }) => ({ taskId, dependsOnTaskId: ownTaskId }), draft),
  remove_pending_subtask: record(ofTask, draft),
  list_sessions: own(),
  get_session_messages: record(({ sessionId }) => ({ sessionId })),
  update_session_topic: own(() => ({ topic: 'Gates' })),
  get_workspace_info: own(),
  get_workspace_diff_summary: unavailable(() => ({})),
  get_credential_limits: own(() => ({ scope: 'project' })),
  get_resource_history: record(({ sessionId }) => ({ sessionId })),
  expose_port: own(() => ({ port: 5173 })),
  create_idea: own(() => ({ title: 'Paint the gate' })),
  update_idea: record(({ taskId }) => ({ ideaId: taskId, content: 'Paint it red' }), draft),
  get_idea: record(({ taskId }) => ({ ideaId: taskId }), draft),
  list_ideas: own(),
  create_project_event_subscription: own(() => ({
    idempotencyKey: newId(),
    filter: { version: 1, source: 'svc.lifecycle' },
  })),
  list_project_event_subscriptions: own(),
  get_project_event_subscription: own(async ({ sessionId }, two) => ({
    subscriptionId: (await subscriptionOf(two, sessionId)).subscriptionId,
    required: true,
  })),
  cancel_project_event_subscription: own(async ({ sessionId }, two) => ({
    subscriptionId: (await subscriptionOf(two, sessionId)).subscriptionId,
    reason: 'Enough',
    required: true,
  })),
  list_subscription_events: own(async ({ sessionId }, two) => ({
    subscriptionId: (await subscriptionOf(two, sessionId)).subscriptionId,
  })),
  get_event: own(async ({ sessionId }, two) => ({ eventId: (await matchOne(two, sessionId)).eventId })),
  ack_event_delivery: own(async ({ sessionId }, two) => ({
    deliveryId: (await matchOne(two, sessionId)).deliveryId,
  })),
  list_event_channels: own(),
  publish_channel_event: own(() => ({ channel: 'gates', message: 'Off', idempotencyKey: newId() })),
  get_channel_history: own(async (_subject, two) => {
    await publishOne(two);
    return { channel: 'gates' };
  }),
  follow_event_channel: own(() => ({ channel: 'gates', idempotencyKey: newId() })),
  catch_up_event_channel: own(async ({ sessionId }, two) => ({
    subscriptionId: await followOne(two, sessionId),
  })),
  list_channel_subscribers: own(() => ({ channel: 'gates' })),
  list_incident_queue: unavailable(() => ({})),
  get_incident: unavailable(() => ({ incidentId: newId() })),
  claim_incident: unavailable(() => ({ incidentId: newId() })),
  resolve_incident: unavailable(() => ({
    ...{ incidentId: newId(), claimToken: 'claim', outcome: 'rejected', note: 'Not a fault' },
  })),
};

/** A subscription of the session's agent. */
async function subscriptionOf({ table, project }: TwoMembers, chatId: string): Promise<EventSubscription> {
  return subscribe(table, { projectId: project.projectId, owner: { chatId } });
}

async function matchOne(two: TwoMembers, chatId: string) {
  const subscription = await subscriptionOf(two, chatId);
  const now = new Date();
  const { event } = await admitEvent(two.table, anEvent(two.project.projectId), now);
  await recordMatch(two.table, subscription, { event, now });
  const { eventId } = event;
  return { eventId, deliveryId: matchIdOf(subscription.subscriptionId, eventId) };
}

async function publishOne({ table, project: { projectId } }: TwoMembers): Promise<void> {
  const actor = {
    ...{ userId: newId(), taskId: null, chatSessionId: newId() },
    ...{ workspaceId: newId(), agentSessionId: newId() },
  };
  const draft = { projectId, name: 'gates', message: 'Off', actor, idempotencyKey: newId() };
  await publish(table, { draft, newId, now: new Date() });
}

/** A follower of the session's agent. */
async function followOne({ table, project: { projectId } }: TwoMembers, chatId: string): Promise<string> {
  const now = new Date();
  const owner = { projectId, chatId, taskId: null, userId: newId(), agentSessionId: newId() };
  const { subscription } = await followChannel(
    table,
    {
      owner: { ...owner, tokenEndsAt: now.getTime() + 60_000 },
      ...{ name: 'gates', cursor: undefined, idempotencyKey: newId(), reason: null, expiresAt: null },
      requestedDelivery: 'record_only',
    },
    { isWakeEnabled: false, now },
  );
  return subscription.subscriptionId;
}

async function sendOne({ table }: TwoMembers, sessionId: string): Promise<string> {
  const { deliveryId } = await acceptPrompt(
    table,
    {
      ...{ deliveryId: newId(), sourceKind: 'agent_mailbox', senderType: 'agent', senderId: newId() },
      ...{ messageClass: 'deliver', content: 'Read this', ackRequired: true, ackTimeoutMs: 60_000 },
    },
    { chat: await readChat(table, sessionId), now: new Date() },
  );
  return deliveryId;
}

/** A good request of every route that a tool equals. */
export const requests: Readonly<Record<string, (subject: Subject) => TestRequest>> = {
  'projects/get': () => ({}),
  'chats/list': () => ({}),
  'chats/get': ({ sessionId }) => ({ params: { sessionId } }),
  'chats/messages': ({ sessionId }) => ({ params: { sessionId } }),
  'chats/state': ({ sessionId }) => ({ params: { sessionId } }),
  'chats/deliveries': ({ sessionId }) => ({ params: { sessionId } }),
  'chats/prompt': ({ sessionId }) => ({ params: { sessionId }, body: { content: 'Use green' } }),
  'projects/credential-limits': () => ({}),
  'resource-history/of-session': ({ sessionId }) => ({ params: { sessionId } }),
  'resource-history/of-task': ({ taskId }) => ({ params: { taskId } }),
  'resource-history/of-workspace': ({ workspaceId }) => ({ params: { workspaceId } }),
  'resource-history/timeline': ({ sessionId }) => ({ params: { sessionId } }),
  'tasks/list': () => ({}),
  'tasks/get': ({ taskId }) => ({ params: { taskId } }),
  'tasks/events': ({ taskId }) => ({ params: { taskId } }),
  'tasks/sessions': ({ taskId }) => ({ params: { taskId } }),
  'tasks/create': () => ({ body: { title: 'Paint' } }),
  'tasks/submit': () => ({ body: { message: 'Paint' } }),
  'tasks/request-upload': () => ({ body: { filename: 'a.txt', size: 1, contentType: 'text/plain' } }),
  'tasks/patch': ({ taskId }) => ({ params: { taskId }, body: { description: 'Red' } }),
  'tasks/run': ({ taskId }) => ({ params: { taskId } }),
  'tasks/delegate': ({ taskId }) => ({ params: { taskId } }),
  'tasks/cancel': ({ taskId }) => ({ params: { taskId }, body: {} }),
  'tasks/close': ({ taskId }) => ({ params: { taskId } }),
  'tasks/status': ({ taskId }) => ({ params: { taskId }, body: { toStatus: 'cancelled' } }),
  'tasks/delete': ({ taskId }) => ({ params: { taskId } }),
  'tasks/add-dependency': ({ taskId, ownTaskId }) => ({
    params: { taskId },
    body: { dependsOnTaskId: ownTaskId },
  }),
  'tasks/remove-dependency': ({ taskId, ownTaskId }) => ({
    params: { taskId, dependsOnTaskId: ownTaskId },
  }),
  'event-subscriptions/list': () => ({}),
  'event-channels/list': () => ({}),
  'workspaces/get': ({ workspaceId }) => ({ params: { workspaceId } }),
};

/** Routes of actions that are not called here, each with the test that does. */
export const testedElsewhere: Readonly<Record<string, string>> = {
  'event-channels/history': 'Needs a channel: mcp/channels.test.ts',
  'event-subscriptions/get': 'Needs a subscription: events/event-routes.test.ts',
  'event-subscriptions/deliveries': 'Needs a subscription: events/event-routes.test.ts',
  'event-subscriptions/cancel': 'Needs a subscription: events/event-routes.test.ts',
  'chats/tool-content': 'Needs a message of a tool: chats/chat-pages.test.ts',
  'resource-history/timeline-chunk': 'Needs a chunk: resource-history/history.test.ts',
  'tasks/changes': 'No tool equals it; needs a node: tasks/kept-changes.test.ts',
  'tasks/pull-request': 'No tool equals it; needs a code host: tasks/pull-request.test.ts',
  'chats/cancel': 'No tool equals it; needs a node: chats/prompt-route.test.ts',
  'chats/stop': 'No tool equals it; needs a node: chats/prompt-route.test.ts',
  'chats/interactions': 'Agents do not answer agents: interactions/interactions.test.ts',
  'chats/interaction': 'Agents do not answer agents: interactions/interactions.test.ts',
  'chats/answer-interaction': 'Agents do not answer agents: interactions/interactions.test.ts',
};
