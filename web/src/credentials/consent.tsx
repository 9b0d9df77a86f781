import { useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '../../../client/berth-client.js';
import { useServices } from '../app/services.js';
import { may, type WholeProject } from '../projects/use-project.js';
import { day } from '../times.js';
import { ConfirmButton } from '../ui/confirm-button.js';
import { Loaded } from '../ui/loaded.js';
import { SharedVariables } from './shared-variables.js';

type State = AnswerOf<'GET /api/projects/{projectId}/personal-credentials'>;

/** Whether agents of the project may use the person's own credentials. */
export function Consent({ project }: { readonly project: WholeProject }) {
  const { client, queries } = useServices();
  const params = { projectId: project.id };
  const queryKey = ['consent', project.id];
  const state = useQuery({
    queryKey,
    queryFn: () => client.call('GET /api/projects/{projectId}/personal-credentials', { params }),
  });
  const change = async (verb: 'PUT' | 'DELETE') => {
    await client.call(`${verb} /api/projects/{projectId}/personal-credentials`, { params });
    await queries.invalidateQueries({ queryKey });
  };
  return (
    <section aria-labelledby="own-credentials">
      <h2 id="own-credentials">Your own credentials in this project</h2>
      <Loaded query={state}>
        {(data) => (
          <div className="card row">
            <span>{inWords(data)}</span>
            <span className="end">
              {data.reason === 'consent' && (
                <ConfirmButton
                  label="Withdraw"
                  title="Withdraw your own credentials?"
                  run={() => change('DELETE')}
                >
                  Agents that start later do not get them. Stop agents that run, and replace a credential that
                  you no longer trust.
                </ConfirmButton>
              )}
              {data.reason === null && may(project, 'workspace:write') && (
                <ConfirmButton
                  label="Allow"
                  className="small"
                  title="Allow your own credentials?"
                  run={() => change('PUT')}
                >
                  Text and code of everybody who can push to the repository or change the project runs beside
                  your agent and can read the credential.
                </ConfirmButton>
              )}
            </span>
            {data.reason === 'consent' && may(project, 'workspace:write') && (
              <SharedVariables project={project} confirmed={data.confirmedVariables} />
            )}
          </div>
        )}
      </Loaded>
    </section>
  );
}

function inWords({ reason, allowedAt }: State): string {
  if (reason === 'only-member') return 'Used, because nobody but you has ever been a member.';
  if (reason === 'consent') return `Allowed${allowedAt ? ` since ${day(allowedAt)}` : ''}.`;
  return 'Not used. Agents use only credentials of the project.';
}
