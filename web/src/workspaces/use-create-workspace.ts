import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useServices } from '../app/services.js';
import { projectsKey } from '../projects/use-projects.js';
import type { Repositories } from '../projects/use-repositories.js';
import { useKeyOfContent } from '../ui/use-key-of-content.js';

interface Creation {
  readonly data: FormData;
  /** Empty: a new project of the repository. */
  readonly projectId: string;
  readonly repository: Repositories['repositories'][number] | undefined;
}

/** Should the workspace fail, the next try goes on with the project that was made. */
export function useCreateWorkspace(projectMade: (projectId: string) => void) {
  const { client } = useServices();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const key = useKeyOfContent();
  const makeProject = async ({ data, repository }: Creation): Promise<string> => {
    const { installationId = '', fullName = '' } = repository ?? {};
    const body = { name: String(data.get('name')), installationId, repository: fullName };
    const { id } = await client.call('POST /api/projects', { body });
    await queries.invalidateQueries({ queryKey: projectsKey });
    projectMade(id);
    return id;
  };
  return useMutation({
    mutationFn: async (creation: Creation) => {
      const projectId = creation.projectId || (await makeProject(creation));
      const displayName = String(creation.data.get('displayName')).trim();
      const branch = String(creation.data.get('branch')).trim();
      const body = { projectId, ...(displayName ? { displayName } : {}), ...(branch ? { branch } : {}) };
      return client.call('POST /api/workspaces', { body, idempotencyKey: key.of(JSON.stringify(body)) });
    },
    onSuccess: ({ id: workspaceId }) =>
      void navigate({ to: '/workspaces/$workspaceId', params: { workspaceId } }),
  });
}
