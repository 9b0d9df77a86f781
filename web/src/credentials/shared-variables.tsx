import { useQuery } from '@tanstack/react-query';
import { isOfApplication } from '../../../protocol/reserved-variables.js';
import { useServices } from '../app/services.js';
import { type Profile, profiles, skills } from '../profiles/kinds.js';
import type { WholeProject } from '../projects/use-project.js';
import { ConfirmButton } from '../ui/confirm-button.js';
import { Loaded } from '../ui/loaded.js';

interface SharedVariablesProps {
  readonly project: WholeProject;
  readonly confirmed: readonly string[];
}

/** Variables of profiles and skills that an agent with the person's own credential does not get. */
export function SharedVariables({ project, confirmed }: SharedVariablesProps) {
  const { client, queries } = useServices();
  const { id: projectId } = project;
  const names = useQuery({
    queryKey: ['shared-variables', projectId],
    queryFn: async () => {
      const kinds = [profiles, skills].map((kind) => namesOf(kind.list(client, projectId)));
      return [...new Set((await Promise.all(kinds)).flat())].toSorted();
    },
  });
  const confirm = async (all: readonly string[]) => {
    const params = { projectId };
    const body = { names: [...all] };
    await client.call('PUT /api/projects/{projectId}/personal-credentials/variables', { params, body });
    await queries.invalidateQueries({ queryKey: ['consent', projectId] });
  };
  return (
    <Loaded query={names}>
      {(all) => {
        const open = all.filter((name) => !confirmed.includes(name));
        if (open.length === 0) return null;
        return (
          <p className="hint">
            Not set for agents with your own credentials: <code>{open.join(', ')}</code>{' '}
            <ConfirmButton
              label="Confirm variables"
              className="small"
              title="Set these variables for your agents?"
              run={() => confirm(all)}
            >
              Members set <code>{open.join(', ')}</code> in profiles and skills. Confirm names only if no
              program that your agent starts runs a command or connects to an address because of them. A name
              that is added later is not confirmed.
            </ConfirmButton>
          </p>
        );
      }}
    </Loaded>
  );
}

/** The names that a person could confirm. */
async function namesOf(records: AsyncIterable<Profile>): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { environment } of records)
    found.push(...environment.filter(({ refused }) => !refused).map(({ name }) => name));
  return found.filter((name) => !isOfApplication(name));
}
