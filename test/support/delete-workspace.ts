import type { Person } from './person.js';
import { until } from './until.js';

/** Other files of the cloud remove the nodes of this person: their slots must be free. */
export async function deleteWorkspace(person: Person, workspace: string): Promise<void> {
  await person.delete(workspace);
  await until(
    'the workspace is deleted',
    async () => (await person.get(workspace)).status === 404 || undefined,
  );
}
