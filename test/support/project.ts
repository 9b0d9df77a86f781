import { PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Project } from '../../lambdas/domain/projects/project.js';
import { newId } from '../../lambdas/shared/ids.js';
import type { Table } from '../../lambdas/shared/table.js';

export function aProject(overrides: Partial<Project> = {}): Project {
  const at = '2026-11-21T10:00:00.000Z';
  return {
    projectId: newId(),
    userId: newId(),
    name: 'Hello',
    normalizedName: 'hello',
    description: null,
    installationId: '5001',
    repository: 'octo/hello',
    githubRepoId: '1',
    defaultBranch: 'main',
    status: 'active',
    createdAt: at,
    updatedAt: at,
    ...overrides,
  };
}

export const putItem = (table: Table, Item: Record<string, unknown>) =>
  table.client.send(new PutCommand({ TableName: table.name, Item }));
