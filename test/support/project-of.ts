import type { Person } from './person.js';

/**
 * The person's project of the repository. Test files share one cloud, where a person has one
 * project of each repository, and any of them can be the first.
 */
export async function projectOf({ client }: Person, repository: string, name: string): Promise<string> {
  for await (const project of client.list('GET /api/projects', 'projects'))
    if (project.repository === repository) return project.id;
  return (await client.call('POST /api/projects', { body: { name, installationId: '5001', repository } })).id;
}
