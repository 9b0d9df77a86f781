import { maxRunningSessions } from './domain/agent-sessions/agent-session.js';
import { maxMessagesPerChat } from './domain/chats/chat.js';
import { endedChatDays } from './domain/chats/ended-chats.js';
import { maxOpenChats } from './domain/chats/open-chats.js';
import { channelLimits } from './domain/event-channels/channel-limits.js';
import { maxActiveSubscriptions } from './domain/event-subscriptions/event-subscription.js';
import { maxSubscriptions } from './domain/live/connection.js';
import { socketLimits } from './domain/live/socket-limits.js';
import { maxInvites } from './domain/members/invite.js';
import { maxProfilesOfKind } from './domain/profiles/profile-or-skill.js';
import { maxMembers, maxProjectsPerUser } from './domain/projects/project.js';
import { maxQueuedPrompts } from './domain/prompts/prompt.js';
import { maxPushSubscriptions } from './domain/push/push-subscription.js';
import { rateLimits } from './domain/rate-limits/rate-limits.js';
import { maxActiveWaits } from './domain/task-waits/task-wait.js';
import { taskEventDays } from './domain/tasks/task-events.js';
import { maxTasksPerProject } from './domain/tasks/task-limits.js';

/** Bound and end of the records of a kind. */
export interface RecordBound {
  readonly madeBy: string;
  readonly bound: string;
  readonly ends: string;
}

const of = (madeBy: string, bound: string, ends: string): RecordBound => ({ madeBy, bound, ends });
const number = (value: number): string => value.toLocaleString('en');

const permanent = 'never';
const oneOfPerson = 'one of a person';
const oneOfProject = 'one of a project';
const withWorkspace = 'with its workspace';
const withChat = 'with its chat';
const withProject = 'with its project';
const messages = `${number(maxMessagesPerChat)} of a chat`;
const byPublications = `CHANNEL_PUBLISH: ${rateLimits.CHANNEL_PUBLISH.limit} a minute of a project`;
const subscriptions = `${maxActiveSubscriptions} active of a project`;
const sessionsOfWorkspace = `${maxRunningSessions} of a workspace`;

/** Each kind of record of the table: a kind without a row fails a test. */
export const recordBounds: Readonly<Record<string, RecordBound>> = {
  user: of('a sign-in', 'one of an account that the sign-in policy admits', permanent),
  identity: of('a sign-in', oneOfPerson, permanent),
  'codehost-grant': of('a sign-in', oneOfPerson, permanent),
  installation: of('the code host', 'those of the person on the code host', 'gone from the code host'),
  session: of('a sign-in', 'SIGN_IN of an address', '7 days'),
  'oauth-state': of('anybody', 'SIGN_IN of an address', '10 minutes'),
  'user-settings': of('the person', oneOfPerson, permanent),
  'push-subscriptions': of('the person', `${oneOfPerson}, of ${maxPushSubscriptions} browsers`, permanent),
  project: of(
    'a person',
    `${maxProjectsPerUser} attached of a person; detached ones by PROJECT_CREATE, ${rateLimits.PROJECT_CREATE.limit} an hour`,
    permanent,
  ),
  member: of(
    'an invited person',
    `${maxMembers} active of a project; each person of the deployment once`,
    withProject,
  ),
  invite: of('a maintainer', `${maxInvites} open of a project`, '30 days at most'),
  'project-name': of('a person', 'one of a project', 'the project is detached'),
  'project-repository': of('a person', 'one of a project', 'the project is detached'),
  profile: of('a maintainer', `${maxProfilesOfKind} of a project`, 'its deletion'),
  skill: of('a maintainer', `${maxProfilesOfKind} of a project`, 'its deletion'),
  'profile-name': of('a maintainer', 'one of a profile', 'with its profile'),
  'skill-name': of('a maintainer', 'one of a skill', 'with its skill'),
  credential: of('a person, a maintainer, a superadmin', 'one of an owner and provider', 'its deletion'),
  'credential-usage': of('an agent', 'one of a credential and window', '90 days'),
  'session-credential': of('an agent', sessionsOfWorkspace, '90 days'),
  'session-attribution': of('an agent', sessionsOfWorkspace, '90 days'),
  node: of('a workspace', 'the limits of nodes of a person and the deployment', '60 days after its deletion'),
  'node-quota': of('a workspace', `${oneOfPerson}, and one of the deployment`, permanent),
  'launch-cooldown': of('the control plane', 'one', permanent),
  bootstrap: of('the control plane', 'one of a node', '15 minutes'),
  'agent-heartbeat': of('a node', 'one of a node and project', 'a day'),
  workspace: of('a person, a task', '`maxWorkspacesPerUser` of a person', '30 days after its deletion'),
  'workspace-count': of('a person', oneOfPerson, permanent),
  snapshot: of('the control plane', 'one of a workspace', withWorkspace),
  'snapshot-expiry': of('a sleep', 'WORKSPACE_CHANGE of the person', 'the sweep, 7 days after the sleep'),
  'git-token': of('a workspace', 'one of a workspace', 'an hour'),
  'boot-log': of('a node', 'the log of a start', '7 days'),
  'pending-reconcile': of('the control plane', 'one of a record between two states', 'its final state'),
  'agent-session': of('a person, a task', sessionsOfWorkspace, '30 days after its end'),
  'mcp-token': of('an agent session', 'one of an agent session', '24 hours at most'),
  'resource-chunk': of('a node', 'the chunks of a day of each agent session', '90 days'),
  'resource-summary': of('a node', 'one of a chat or workspace', '180 days'),
  chat: of(
    'a person, a task',
    `${maxOpenChats} open of a person; one of a task`,
    `${endedChatDays} days after it left the count; 30 days after the deletion of its task`,
  ),
  'ended-chat': of('the control plane', 'one of an ended chat', withChat),
  'open-chats': of('a person', oneOfPerson, permanent),
  message: of('a person, an agent', messages, withChat),
  'message-id': of('a person', messages, withChat),
  'unstored-content': of('a node', '10 of a batch of messages', 'an hour'),
  prompt: of('a person, an agent', messages, withChat),
  'waiting-prompt': of('a person, an agent', `${number(maxQueuedPrompts)} of a project`, 'it is settled'),
  'prompt-queue': of('a person', oneOfProject, withProject),
  interaction: of('an agent', '8 open of a chat', '30 days after its end'),
  'interaction-content': of('an agent', 'one of an interaction', 'an hour after its end'),
  'inbox-item': of('the control plane', 'one of a cause', '30 days at most'),
  'inbox-dismissal': of('a person', 'one of an item', '30 days'),
  'inbox-repair': of('the control plane', 'one', permanent),
  task: of('a person, an agent', `${number(maxTasksPerProject)} of a project`, 'its deletion'),
  'draft-count': of('a person', oneOfPerson, permanent),
  'task-event': of(
    'a person, an agent',
    `CHANGE: ${rateLimits.CHANGE.limit} a minute of a person`,
    `${taskEventDays} days; 30 days after the deletion of its task`,
  ),
  'deleted-task': of('a person', 'CHANGE of a person', 'the sweep, 30 days after the deletion'),
  'task-counts': of('a person', oneOfProject, withProject),
  'task-graph': of('a person', oneOfProject, withProject),
  'task-wait': of('an agent', `${maxActiveWaits} open of a project`, 'a week after its deadline'),
  'task-waiter': of('an agent', 'one of a wait and task', 'its wait ends'),
  'task-wait-count': of('an agent', oneOfProject, withProject),
  'workspace-creation': of('a person', 'WORKSPACE_CREATE of the person', '24 hours'),
  creation: of('a person', 'the limit of what it creates', '24 hours'),
  'task-submission': of('a person, an agent', 'TASK_RUN of the person', '24 hours'),
  'project-event': of('an agent, the code host', 'the limits of their requests', '30 days'),
  'event-subscription': of('a person, an agent', subscriptions, '30 days after its end'),
  'event-subscription-count': of('a person', oneOfProject, withProject),
  'event-follower': of('a person, an agent', subscriptions, 'its subscription ends'),
  'event-match': of('the control plane', 'the matches of an event, of each active subscription', '30 days'),
  'event-batch': of('the control plane', 'one of a match at most', '30 days'),
  'event-delivery-pointer': of('the control plane', 'one of a match or batch', '30 days'),
  'event-wake-target': of('the control plane', 'one of a chat', '3 days after the last wake'),
  'event-channel': of(
    'an agent',
    `${channelLimits.ordinary} of a project, and ${number(channelLimits.pair)} of pairs`,
    '30 days without a publication',
  ),
  'event-channel-count': of('an agent', oneOfProject, withProject),
  'event-channel-reclaim': of('the control plane', 'one of a channel', 'with its channel'),
  'channel-publication': of('an agent', byPublications, '30 days'),
  'channel-catch-up': of('an agent', 'one of a subscription', '30 days after its hour'),
  'pair-member': of('an agent', 'two of a pair channel', '40 days'),
  connection: of('a person', `${socketLimits.person} of a person`, '2 hours'),
  'socket-count': of('a person', `${oneOfPerson} and of a session, 16 of the deployment`, '2 hours'),
  subscription: of('a person', `${maxSubscriptions} of a connection`, 'with its connection'),
  'rate-window': of('any caller', 'one of a limit, caller and window', 'two windows'),
};
