import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/table.js';
import { getItem, getItems } from '../records/batch-items.js';
import type { Key } from '../records/changes.js';
import { requireOwnWorkspace } from '../workspaces/find-workspace.js';
import { Workspace, workspaceKey } from '../workspaces/workspace.js';
import { AgentSession, agentSessionKey, agentSessionPrefix } from './agent-session.js';

/** One table call. */
export async function findAgentSession(
  table: Table,
  workspaceId: string,
  agentSessionId: string,
): Promise<AgentSession | undefined> {
  const key = agentSessionKey(workspaceId, agentSessionId);
  const found = await getItem(table, key);
  return found && AgentSession.parse(found);
}

interface WorkspaceSessions {
  readonly workspace: Workspace | undefined;
  readonly sessions: readonly AgentSession[];
}

/** A workspace and its running agent sessions, newest first. One table call. */
export async function listRunningSessions(table: Table, workspaceId: string): Promise<WorkspaceSessions> {
  const { workspace, sessions } = await listOpenSessions(table, workspaceId);
  return { workspace, sessions: sessions.filter(({ status }) => status === 'running') };
}

/** The same with the suspended ones. One table call. */
export async function listOpenSessions(table: Table, workspaceId: string): Promise<WorkspaceSessions> {
  const { workspace, sessions } = await listSessions(table, workspaceId);
  return { workspace, sessions: sessions.filter(({ status }) => status !== 'stopped') };
}

/** The same with the stopped ones. One table call. */
export async function listSessions(table: Table, workspaceId: string): Promise<WorkspaceSessions> {
  const { pk, sk } = workspaceKey(workspaceId);
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      FilterExpression: '#entity IN (:workspace, :session)',
      ExpressionAttributeNames: { '#entity': 'entity' },
      ExpressionAttributeValues: {
        ':pk': pk,
        ':first': agentSessionPrefix,
        ':last': sk,
        ':workspace': 'workspace',
        ':session': 'agent-session',
      },
      ScanIndexForward: false,
      ConsistentRead: true,
    }),
  );
  const found = Items.find(({ entity }) => entity === 'workspace');
  return {
    workspace: found && Workspace.parse(found),
    sessions: Items.filter(({ entity }) => entity === 'agent-session').map((item) =>
      AgentSession.parse(item),
    ),
  };
}

interface OwnSession {
  readonly workspaceId: string;
  readonly sessionId: string;
  readonly userId: string;
}

/**
 * A person's workspace and one of its agent sessions; `find` has the items of the other keys. One
 * table call.
 *
 * @throws {workspaceNotFound} the workspace belongs to another person
 */
export async function loadOwnSession(
  table: Table,
  { workspaceId, sessionId, userId }: OwnSession,
  others: readonly Key[] = [],
) {
  const keys = { workspace: workspaceKey(workspaceId), session: agentSessionKey(workspaceId, sessionId) };
  const find = await getItems(table, [...Object.values(keys), ...others]);
  const found = find(keys.workspace);
  const session = find(keys.session);
  return {
    workspace: requireOwnWorkspace(found && Workspace.parse(found), userId),
    session: session && AgentSession.parse(session),
    find,
  };
}
