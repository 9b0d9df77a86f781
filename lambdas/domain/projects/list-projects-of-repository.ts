import { byOwner, type Table } from '../../shared/table.js';
import { queryAll } from '../records/query-all.js';
import { Project, projectsOfRepository } from './project.js';

/**
 * The attached projects of a repository of the code host, oldest first, of all people. One table
 * call; two for more than about 500.
 */
export async function listProjectsOfRepository(table: Table, githubRepoId: string): Promise<Project[]> {
  const items = await queryAll(table, {
    IndexName: byOwner,
    KeyConditionExpression: 'ownerPk = :repository',
    ExpressionAttributeValues: { ':repository': projectsOfRepository(githubRepoId) },
  });
  return items.map((item) => Project.parse(item));
}
