import { type FieldError, InvalidRequest, NotFound } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { Grant, grantKey } from '../code-host/grant.js';
import { Installation, installationKey } from '../code-host/installation.js';
import { requireCovered } from '../code-host/repository-access.js';
import { creationItemKey, WorkspaceCreation } from '../idempotency/workspace-creation.js';
import { capabilityMissing } from '../projects/errors.js';
import { capabilitiesOf, Member, memberKey } from '../projects/member.js';
import { requireAttached } from '../projects/require-attached.js';
import { getItems } from '../records/batch-items.js';
import type { Key } from '../records/changes.js';
import { User, userKey } from '../users/user.js';

export interface RepositoryRequest {
  readonly projectId?: string | undefined;
  readonly installationId?: string | undefined;
  readonly repository?: string | undefined;
  readonly branch?: string | undefined;
}

interface RepositoryChoice {
  readonly installationId: string;
  readonly repository: string;
  /** The repository's own default when absent. */
  readonly branch: string | undefined;
}

/**
 * The repository of a new workspace: that of the project, or the named one with an installation of
 * the caller. The code host has not been asked yet whether the caller can see it.
 *
 * @throws {NotFound | capabilityMissing | ProjectDetached | InvalidRequest}
 */
export function chooseRepository(asked: RepositoryRequest, creator: Creator): RepositoryChoice {
  return asked.projectId === undefined ? ofCaller(asked, creator) : ofProject(asked, creator.member);
}

function ofProject(asked: RepositoryRequest, member: Member | undefined): RepositoryChoice {
  if (member?.status !== 'active') throw new NotFound('Project');
  if (!capabilitiesOf[member.role].includes('workspace:write')) throw capabilityMissing('workspace:write');
  requireAttached(member.project);
  const { installationId, repository, defaultBranch } = member.project;
  const differing: FieldError[] = [];
  if (asked.installationId !== undefined && asked.installationId !== installationId) {
    differing.push({
      field: 'installationId',
      message: 'The project has another installation: leave the field out',
    });
  }
  if (asked.repository !== undefined && asked.repository.toLowerCase() !== repository.toLowerCase()) {
    differing.push({
      field: 'repository',
      message: 'The project has another repository: leave the field out',
    });
  }
  if (differing.length > 0) throw new InvalidRequest('The request is invalid', differing);
  return { installationId, repository, branch: asked.branch ?? defaultBranch };
}

function ofCaller(
  { installationId, repository, branch }: RepositoryRequest,
  { installation }: Creator,
): RepositoryChoice {
  if (installationId === undefined || repository === undefined) {
    throw new InvalidRequest('The request is invalid', [
      ...required('installationId', installationId),
      ...required('repository', repository),
    ]);
  }
  // Otherwise any installation could sign a token for a repository that the caller can read.
  if (!installation) throw new NotFound('Installation');
  requireCovered(installation, repository);
  return { installationId, repository, branch };
}

const required = (name: string, value: string | undefined): FieldError[] =>
  value === undefined ? [{ field: `${name}`, message: 'Required when projectId is absent' }] : [];

/** The records of a person who creates a workspace. */
export interface Creator {
  readonly user: User | undefined;
  readonly grant: Grant | undefined;
  readonly installation: Installation | undefined;
  readonly member: Member | undefined;

  /** What an earlier request with the same Idempotency-Key made. */
  readonly earlier: WorkspaceCreation | undefined;
}

interface CreatorQuery {
  readonly userId: string;
  readonly installationId?: string | undefined;
  readonly projectId?: string | undefined;
  readonly creationKey?: string | undefined;
}

/** One table call. */
export async function loadCreator(table: Table, query: CreatorQuery): Promise<Creator> {
  const { userId, installationId, projectId, creationKey } = query;
  const keys = {
    user: userKey(userId),
    grant: grantKey(userId),
    installation: installationId === undefined ? undefined : installationKey(userId, installationId),
    member: projectId === undefined ? undefined : memberKey(projectId, userId),
    earlier: creationKey === undefined ? undefined : creationItemKey(userId, creationKey),
  };
  const find = await getItems(
    table,
    Object.values(keys).filter((key) => key !== undefined),
  );
  const item = (key: Key | undefined) => key && find(key);
  return {
    user: parsed(User, item(keys.user)),
    grant: parsed(Grant, item(keys.grant)),
    installation: parsed(Installation, item(keys.installation)),
    member: parsed(Member, item(keys.member)),
    earlier: parsed(WorkspaceCreation, item(keys.earlier)),
  };
}

function parsed<T>(schema: { parse(value: unknown): T }, item: unknown): T | undefined {
  return item === undefined ? undefined : schema.parse(item);
}
