import { GetCommand, paginateQuery } from '@aws-sdk/lib-dynamodb';
import { byOwner, type Table } from '../../shared/table.js';
import { Member, may, memberKey } from '../projects/member.js';
import { ownerOfWorkspaces, Workspace } from '../workspaces/workspace.js';
import { canMove } from '../workspaces/workspace-status.js';

interface EndedMembership {
  readonly projectId: string;
  readonly userId: string;
}

/** How the rights of a workspace end. Both are repeatable. */
export interface WorkspaceEnds {
  readonly stop: (workspaceId: string) => Promise<unknown>;
  /** Ends the git tokens that were given, also of workspaces that are stopped already. */
  readonly revokeTokens: (workspaces: readonly Workspace[]) => Promise<void>;
}

interface Whose {
  readonly userId: string;
  /** Of this project only. */
  readonly projectId?: string;
}

/**
 * Stops a person's workspaces of a project, unless the person may work in it again. A repeat finds
 * only those that still run.
 *
 * @throws {AggregateError} some could not be stopped; the others were
 */
export async function stopMemberWorkspaces(
  table: Table,
  { projectId, userId }: EndedMembership,
  ends: WorkspaceEnds,
): Promise<void> {
  if (!(await mayWork(table, projectId, userId))) await stopWorkspacesOf(table, { userId, projectId }, ends);
}

/**
 * Stops a person's workspaces, in one project or everywhere, and revokes their git tokens. A repeat
 * finds only what is left.
 *
 * @throws {AggregateError} some could not be stopped; the others were
 * @throws {CodeHostUnavailable} all were stopped, and some git tokens may still work
 */
export async function stopWorkspacesOf(
  table: Table,
  whose: Whose,
  { stop, revokeTokens }: WorkspaceEnds,
): Promise<void> {
  const all = await workspacesOf(table, whose);
  const running = all.filter(({ status, deletion }) => !deletion && canMove(status, 'stop'));
  const results = await Promise.allSettled(running.map(({ workspaceId }) => stop(workspaceId)));
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} of ${running.length} workspaces were not stopped`);
  // After the stops: a code host that does not answer must not hold them up.
  await revokeTokens(all);
}

async function mayWork(table: Table, projectId: string, userId: string): Promise<boolean> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: memberKey(projectId, userId), ConsistentRead: true }),
  );
  return Item !== undefined && may(Member.parse(Item), 'workspace:write');
}

async function workspacesOf(table: Table, { userId, projectId }: Whose): Promise<Workspace[]> {
  const pages = paginateQuery(
    { client: table.client },
    {
      TableName: table.name,
      IndexName: byOwner,
      KeyConditionExpression: 'ownerPk = :owner',
      ...(projectId === undefined ? {} : { FilterExpression: 'projectId = :project' }),
      ExpressionAttributeValues: {
        ':owner': ownerOfWorkspaces(userId),
        ...(projectId === undefined ? {} : { ':project': projectId }),
      },
    },
  );
  const found: Workspace[] = [];
  for await (const { Items = [] } of pages) found.push(...Items.map((item) => Workspace.parse(item)));
  return found;
}
