import { useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '../../../client/berth-client.js';
import { useServices } from '../app/services.js';
import { readAgentDefaults } from '../launch/agent-defaults.js';
import { AgentDefaultsFields } from '../launch/agent-defaults-fields.js';
import { LaunchFields } from '../launch/launch-fields.js';
import { readLaunch } from '../launch/launch-form.js';
import { Form } from '../ui/form.js';
import { Loaded } from '../ui/loaded.js';
import { SaveBar } from '../ui/save-bar.js';
import { useChange } from '../ui/use-change.js';

type Stored = AnswerOf<'GET /api/settings/agents'>['settings'];
const key = ['agent-settings'] as const;

/** How agents start for the person, where nothing stronger decides. */
export function AgentSettings() {
  const { client } = useServices();
  const settings = useQuery({
    queryKey: key,
    queryFn: () => client.call('GET /api/settings/agents'),
    // What is being typed is not replaced by what is read again.
    refetchOnWindowFocus: false,
  });
  return (
    <section aria-labelledby="agents">
      <h2 id="agents">Agents</h2>
      <p className="quiet">
        Defaults for your agents. Settings of a project, a skill, a profile or a task override them.
      </p>
      <Loaded query={settings}>{({ settings: stored }) => <SettingsForm stored={stored} />}</Loaded>
    </section>
  );
}

function SettingsForm({ stored }: { readonly stored: Stored }) {
  const { client } = useServices();
  const saving = useChange(key, (data: FormData) =>
    // The call replaces everything.
    client.call('PUT /api/settings/agents', {
      body: { ...readLaunch(data, {}, stored), agentDefaults: readAgentDefaults(data) },
    }),
  );
  return (
    <Form className="card" error={saving.error} submit={saving.mutate}>
      <LaunchFields launch={stored} />
      <AgentDefaultsFields defaults={stored.agentDefaults} />
      <SaveBar saving={saving} />
    </Form>
  );
}
