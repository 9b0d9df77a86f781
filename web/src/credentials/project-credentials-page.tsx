import { useQuery } from '@tanstack/react-query';
import { useServices } from '../app/services.js';
import { useTitle } from '../app/title.js';
import { may, useProject, useProjectId, type WholeProject } from '../projects/use-project.js';
import { Loaded } from '../ui/loaded.js';
import { Consent } from './consent.js';
import { Credentials, type Wallet } from './credentials.js';
import { CredentialLimits } from './limits.js';

export function ProjectCredentialsPage() {
  useTitle('Credentials');
  const project = useProject(useProjectId());
  return <Loaded query={project}>{(data) => <OfProject project={data} />}</Loaded>;
}

function OfProject({ project }: { readonly project: WholeProject }) {
  const { client } = useServices();
  const { id: projectId } = project;
  const params = { projectId };
  const wallet: Wallet = {
    key: ['project-credentials', projectId],
    list: () => client.call('GET /api/projects/{projectId}/credentials', { params }),
    store: (body) => client.call('POST /api/projects/{projectId}/credentials', { params, body }),
    remove: (provider) =>
      client.call('DELETE /api/projects/{projectId}/credentials/{provider}', {
        params: { projectId, provider },
      }),
  };
  const limits = useQuery({
    queryKey: ['credential-limits', projectId],
    queryFn: () => client.call('GET /api/projects/{projectId}/credential-limits', { params }),
  });
  return (
    <>
      <section aria-labelledby="of-project">
        <h2 id="of-project">Credentials of the project</h2>
        <p className="quiet">
          Agents of all members use them, and every member who starts an agent can read them in the workspace.
        </p>
        <Credentials wallet={wallet} mayChange={may(project, 'secret:write')} />
      </section>
      <Consent project={project} />
      <section aria-labelledby="limits">
        <h2 id="limits">Rate limits</h2>
        <Loaded query={limits}>{({ credentials }) => <CredentialLimits limits={credentials} />}</Loaded>
      </section>
    </>
  );
}
