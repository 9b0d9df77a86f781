import { type Choice, SelectField, TextField } from '../ui/field.js';
import { type AgentDefaults, type AgentType, fieldOf } from './agent-defaults.js';
import { agents, efforts, opencodeProviders, permissionModes } from './choices.js';

interface AgentDefaultsFieldsProps {
  readonly defaults: AgentDefaults | null | undefined;
}

/** Settings for one type of agent, which are stronger than those for all. */
export const AgentDefaultsFields = ({ defaults }: AgentDefaultsFieldsProps) => (
  <details>
    <summary>For one type of agent</summary>
    <p className="hint">These are stronger than the settings above, which hold for all types.</p>
    {agents.map(([agent, name]) => (
      <fieldset key={agent} className="bare">
        <legend className="strong">{name}</legend>
        <OfOne agent={agent} settings={defaults?.[agent] ?? {}} />
      </fieldset>
    ))}
  </details>
);

const inherited: Choice = ['', 'Not set here'];
const selects = [
  ['effort', 'Effort', efforts],
  ['permissionMode', 'Permissions of the agent', permissionModes],
] as const;

interface OfOneProps {
  readonly agent: AgentType;
  readonly settings: NonNullable<AgentDefaults[AgentType]>;
}

const OfOne = ({ agent, settings }: OfOneProps) => (
  <div className="columns">
    <TextField
      label="Model"
      name={fieldOf(agent, 'model')}
      defaultValue={settings.model ?? ''}
      maxLength={200}
    />
    {selects.map(([setting, label, choices]) => (
      <SelectField
        key={setting}
        {...{ label, name: fieldOf(agent, setting), choices: [inherited, ...choices] }}
        defaultValue={settings[setting] ?? ''}
      />
    ))}
    {agent === 'opencode' && (
      <>
        <SelectField
          label="Provider of OpenCode"
          name={fieldOf(agent, 'opencodeProvider')}
          choices={[inherited, ...opencodeProviders]}
          defaultValue={settings.opencodeProvider ?? ''}
        />
        <TextField
          label="Address of the provider"
          name={fieldOf(agent, 'opencodeBaseUrl')}
          type="url"
          defaultValue={settings.opencodeBaseUrl ?? ''}
        />
      </>
    )}
  </div>
);
