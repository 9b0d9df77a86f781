import { randomUUID } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { chatItem, newChat } from '../../lambdas/domain/chats/chat.js';
import { channelItem } from '../../lambdas/domain/event-channels/channel.js';
import { subscriptionItem } from '../../lambdas/domain/event-subscriptions/event-subscription.js';
import { profileItem } from '../../lambdas/domain/profiles/profile-or-skill.js';
import { memberItem } from '../../lambdas/domain/projects/member.js';
import { projectItem } from '../../lambdas/domain/projects/project.js';
import { newTask, taskItem } from '../../lambdas/domain/tasks/task.js';
import { issueToken } from '../../lambdas/domain/tokens/issue-token.js';
import type { Route } from '../../lambdas/route-row.js';
import { routes } from '../../lambdas/routes.js';
import { newId } from '../../lambdas/shared/ids.js';
import type { Table } from '../../lambdas/shared/table.js';
import { aSubscription } from '../integration/events/event-records.js';
import { functionEnv } from './function-env.js';
import { type Invoke, loadRoute, type TestReply, type TestRequest } from './invoke.js';
import { aNode, aWorkspace, putNode, putWorkspace } from './records.js';
import { signIn } from './sign-in.js';
import { signingKeys } from './wrong-tokens.js';

/** Every route of the table but MCP, called by a caller who may, about records that exist. */
export interface EveryRoute {
  readonly ids: Readonly<Record<string, string>>;
  readonly userId: string;
  readonly adminId: string;
  readonly credentials: Partial<Record<Route['auth']['kind'], TestRequest>>;
  call(route: Route, request: TestRequest): Promise<TestReply>;
}

const newIds = () => ({
  nodeId: newId(),
  workspaceId: newId(),
  projectId: newId(),
  sessionId: newId(),
  itemId: `task.${newId()}`,
  taskId: newId(),
  dependsOnTaskId: newId(),
  profileId: newId(),
  skillId: newId(),
  userId: newId(),
  inviteId: newId(),
  interactionId: randomUUID(),
  subscriptionId: newId(),
  pushSubscriptionId: 'a'.repeat(22),
  sequence: '1',
  channel: 'gates',
  provider: 'github',
});

type Ids = ReturnType<typeof newIds>;

export async function everyRoute(table: Table): Promise<EveryRoute> {
  const ids = newIds();
  const invokes = new Map<string, Invoke>();
  Object.assign(process.env, functionEnv);
  for (const { file } of routes) invokes.set(file, await loadRoute(file));
  const { userId, cookie } = await signIn(table);
  const admin = await signIn(table, { role: 'superadmin' });
  await putRecords(table, ids, userId);
  const tokens = await callbackTokens(ids);
  const credentials: EveryRoute['credentials'] = {
    session: { cookies: [cookie] },
    capability: { cookies: [cookie] },
    superadmin: { cookies: [admin.cookie] },
    ...tokens,
  };
  return {
    ...{ ids, userId, adminId: admin.userId, credentials },
    call: async ({ file, path, auth }, request) => {
      const invoke = invokes.get(file);
      if (!invoke) throw new Error(`${file} is not loaded`);
      const params = Object.fromEntries(Object.entries(ids).filter(([name]) => path.includes(`{${name}}`)));
      const { headers, ...identity } = credentials[auth.kind] ?? {};
      return invoke({ params, ...identity, ...request, headers: { ...headers, ...request.headers } });
    },
  };
}

async function callbackTokens({ nodeId, workspaceId }: Ids): Promise<EveryRoute['credentials']> {
  const now = new Date();
  const claims = { sub: workspaceId, node: nodeId, generation: 1 };
  const node = await issueToken(signingKeys(), 'nodeCallback', { claims: { sub: nodeId }, now });
  const workspace = await issueToken(signingKeys(), 'workspaceCallback', { claims, now });
  return {
    nodeCallback: { headers: { authorization: `Bearer ${node.token}` } },
    workspaceCallback: { headers: { authorization: `Bearer ${workspace.token}` } },
    agentCallback: { headers: { authorization: `Bearer ${workspace.token}` } },
    anyCallback: { headers: { authorization: `Bearer ${node.token}` } },
  };
}

async function putRecords(table: Table, ids: Ids, userId: string): Promise<void> {
  const { nodeId, workspaceId, projectId, sessionId: chatId, taskId } = ids;
  const now = new Date();
  await putNode(table, aNode({ nodeId, userId }));
  await putWorkspace(table, aWorkspace({ workspaceId, nodeId, userId, projectId }));
  const chat = newChat({ chatId, projectId, userId, workspaceId, topic: null, taskId: null }, now);
  const task = newTask({ taskId, projectId, userId, title: 'Fix it' }, now);
  const items = [
    ...projectItems(ids, userId),
    ...[chatItem(chat), taskItem(task)],
    ...profileItems(ids, userId),
    ...eventItems(ids),
  ];
  for (const Item of items) await table.client.send(new PutCommand({ TableName: table.name, Item }));
}

function eventItems({ projectId, subscriptionId, channel: name, sessionId: chatId, taskId, userId }: Ids) {
  const at = new Date().toISOString();
  const channel = {
    channelId: newId(),
    projectId,
    name,
    lifetimeCount: 0,
    createdAt: at,
    lastPublishedAt: at,
  };
  const owner = { projectId, chatId, taskId, userId };
  return [subscriptionItem({ ...aSubscription({ projectId, owner }), subscriptionId }), channelItem(channel)];
}

function profileItems({ projectId, profileId, skillId }: Ids, createdBy: string) {
  const at = new Date().toISOString();
  const rest = { version: 1, createdBy, createdAt: at, updatedAt: at, settings: {}, environment: {} };
  const named = { projectId, name: 'Mine', normalizedName: 'mine', description: null };
  return [
    profileItem({ kind: 'profile', profileId, ...named, ...rest }),
    profileItem({ kind: 'skill', profileId: skillId, ...named, ...rest }),
  ];
}

function projectItems({ projectId, userId: otherId }: Ids, userId: string) {
  const at = new Date().toISOString();
  const project = {
    ...{ projectId, userId, name: 'Mine', normalizedName: 'mine', description: null },
    ...{ installationId: '5001', repository: 'octo/hello', githubRepoId: '1', defaultBranch: 'main' },
    ...{ status: 'active' as const, createdAt: at, updatedAt: at },
  };
  const member = { projectId, status: 'active' as const, project, joinedAt: at };
  return [
    projectItem(project),
    memberItem({ ...member, userId, role: 'owner' }),
    memberItem({ ...member, userId: otherId, role: 'viewer' }),
  ];
}
