import type { Table } from '../../shared/table.js';
import { mergeSettings } from '../launch/launch-layer.js';
import { transact, type Write } from '../records/transact.js';
import { userKey } from '../users/user.js';
import { projectChanged, projectNameTaken } from './errors.js';
import { listMembers } from './find-membership.js';
import { type Member, memberKey, ProjectSummary } from './member.js';
import {
  normalizeName,
  type Project,
  type ProjectSettings,
  projectKey,
  projectNameClaim,
  projectNameKey,
  projectRepositoryKey,
  repositoryIndex,
  unchangedProject,
} from './project.js';

interface ProjectChange {
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
  readonly defaultBranch?: string | undefined;
  readonly settings: ProjectSettings;
  /** The one the client has seen; without it, the one that was read. */
  readonly version?: number | undefined;
}

/**
 * Changes a project if it still is what was read, and what its members' lists show of it. Two table
 * calls.
 *
 * @throws {projectChanged | projectNameTaken}
 */

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: each optional field has a default, and each refused write its own error
export async function changeProject(
  table: Table,
  before: Project,
  { change, now }: { readonly change: ProjectChange; readonly now: Date },
): Promise<Project> {
  const { version = 0, userId } = before;
  if (change.version !== undefined && change.version !== version) throw projectChanged();
  const name = change.name ?? before.name;
  const after: Project = {
    ...before,
    name,
    normalizedName: normalizeName(name),
    description: change.description === undefined ? before.description : change.description,
    defaultBranch: change.defaultBranch ?? before.defaultBranch,
    settings: mergeSettings(before.settings ?? {}, change.settings),
    version: version + 1,
    updatedAt: now.toISOString(),
  };
  const isRenamed = after.normalizedName !== before.normalizedName;
  const members = await listMembers(table, before.projectId);
  const outcome = await transact(table, [
    ...projectWrites(before, after, members),
    ...(isRenamed
      ? [
          { put: projectNameClaim(after), when: { exists: false } },
          { delete: projectNameKey(userId, before.normalizedName), when: {} },
        ]
      : []),
  ]);
  if (outcome.committed) return after;
  throw outcome.refusals[0]?.failed || !isRenamed ? projectChanged() : projectNameTaken();
}

/**
 * Detaches a project permanently: nothing new can start in it, and its owner can create another one
 * with its name and repository. Running agents continue. A repeat changes nothing. Two table calls.
 *
 * @throws {projectChanged}
 */
export async function detachProject(table: Table, before: Project, now: Date): Promise<Project> {
  if (before.status === 'detached') return before;
  const { projectId, userId, version = 0 } = before;
  const after: Project = {
    ...before,
    status: 'detached',
    version: version + 1,
    updatedAt: now.toISOString(),
  };
  const members = await listMembers(table, projectId);
  const outcome = await transact(table, [
    ...projectWrites(before, after, members),
    { delete: projectNameKey(userId, before.normalizedName), when: {} },
    { delete: projectRepositoryKey(userId, before.repository), when: {} },
    { update: { key: userKey(userId), add: { projectCount: -1 }, when: { exists: true } } },
  ]);
  if (!outcome.committed) throw projectChanged();
  return after;
}

/** Writes the unchanged project and the copies of its summary in its members. */
const projectWrites = (before: Project, after: Project, members: readonly Member[]): readonly Write[] => [
  projectWrite(before, after),
  ...summaryWrites(members, after),
];

function projectWrite(before: Project, after: Project): Write {
  const { projectId, name, normalizedName, description, defaultBranch, settings, status, ...rest } = after;
  const { version, updatedAt } = rest;
  const isAttached = status === 'active';
  return {
    update: {
      key: projectKey(projectId),
      set: {
        ...{ name, normalizedName, description, defaultBranch, settings, status, version, updatedAt },
        ...(isAttached ? repositoryIndex(after) : {}),
      },
      remove: isAttached ? [] : Object.keys(repositoryIndex(after)),
      when: unchangedProject(before),
    },
  };
}

/** A member who joined or left since the list was read has changed the project's version too. */
const summaryWrites = (members: readonly Member[], project: Project): readonly Write[] =>
  members.map(({ projectId, userId }) => ({
    update: {
      key: memberKey(projectId, userId),
      set: { project: ProjectSummary.parse(project) },
      when: { exists: true },
    },
  }));
