import type { Table } from '../../shared/table.js';
import { transact } from '../records/transact.js';
import { userKey } from '../users/user.js';
import { projectChanged } from './errors.js';
import { listMembers } from './list-members.js';
import { type Project, projectNameKey, projectRepositoryKey } from './project.js';
import { projectWrites } from './project-writes.js';

/**
 * Ends a project for good: nothing new can start in it, and its owner may have another one of its name and repository. What
 * runs goes on until it ends or is stopped. A repeat changes nothing. Two table calls.
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
