import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { byOwner, type Table } from '../../shared/table.js';
import { Project, projectsOfRepository } from './project.js';

/**
 * The attached projects of a repository of the code host, oldest first, of all people. One table
 * call; two for more than about 500.
 */
export async function listProjectsOfRepository(table: Table, githubRepoId: string): Promise<Project[]> {
  const projects: Project[] = [];
  let start: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        IndexName: byOwner,
        KeyConditionExpression: 'ownerPk = :repository',
        ExpressionAttributeValues: { ':repository': projectsOfRepository(githubRepoId) },
        ExclusiveStartKey: start,
      }),
    );
    projects.push(...Items.map((item) => Project.parse(item)));
    start = LastEvaluatedKey;
  } while (start);
  return projects;
}
