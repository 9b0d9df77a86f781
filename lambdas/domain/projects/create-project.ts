import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/table.js';
import { asItemTooLarge } from '../records/item-too-large.js';
import { type User, userKey } from '../users/user.js';
import { projectLimitReached, projectNameTaken, projectRepositoryTaken } from './errors.js';
import { type Member, memberItem, ProjectSummary, personOf } from './member.js';
import {
  maxProjectsPerUser,
  normalizeName,
  type Project,
  projectItem,
  projectNameClaim,
  projectRepositoryClaim,
} from './project.js';

export type ProjectDraft = Pick<
  Project,
  | 'projectId'
  | 'userId'
  | 'name'
  | 'description'
  | 'installationId'
  | 'repository'
  | 'githubRepoId'
  | 'defaultBranch'
>;

/**
 * Writes a project, its owner's membership, and what keeps its name and repository unique: all or
 * nothing, in one table call.
 *
 * @throws {projectNameTaken | projectRepositoryTaken | projectLimitReached}
 */
export async function createProject(
  table: Table,
  draft: ProjectDraft,
  { owner, now }: { readonly owner: User | undefined; readonly now: Date },
): Promise<{ readonly project: Project; readonly member: Member }> {
  const at = now.toISOString();
  const normalizedName = normalizeName(draft.name);
  const project: Project = {
    ...draft,
    normalizedName,
    status: 'active',
    version: 1,
    createdAt: at,
    updatedAt: at,
  };
  const member: Member = {
    projectId: project.projectId,
    userId: project.userId,
    role: 'owner',
    status: 'active',
    project: ProjectSummary.parse(project),
    ...(owner ? { person: personOf(owner) } : {}),
    joinedAt: at,
  };
  try {
    await table.client.send(new TransactWriteCommand({ TransactItems: writes(table, project, member) }));
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    throw refusal(error);
  }
  return { project, member };
}

function writes({ name: TableName }: Table, project: Project, member: Member) {
  const put = (Item: Record<string, unknown>) => ({
    Put: { TableName, Item, ConditionExpression: 'attribute_not_exists(pk)' },
  });
  // `refusal` reads the reasons in this order.
  return [
    put(projectNameClaim(project)),
    put(projectRepositoryClaim(project)),
    {
      Update: {
        TableName,
        Key: userKey(project.userId),
        UpdateExpression: 'ADD projectCount :one',
        ConditionExpression: 'projectCount < :most',
        ExpressionAttributeValues: { ':one': 1, ':most': maxProjectsPerUser },
      },
    },
    put({ ...projectItem(project), memberCount: 1 }),
    put(memberItem(member)),
  ];
}

function refusal(error: TransactionCanceledException): unknown {
  const [name, repository, count] = (error.CancellationReasons ?? []).map(({ Code }) => Code);
  const failed = 'ConditionalCheckFailed';
  if (name === failed) return projectNameTaken();
  if (repository === failed) return projectRepositoryTaken();
  if (count === failed) return projectLimitReached();
  return asItemTooLarge(error);
}
