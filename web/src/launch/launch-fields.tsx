import { type Choice, SelectField, TextArea, TextField } from '../ui/field.js';
import {
  agents,
  efforts,
  opencodeProviders,
  permissionModes,
  taskModes,
  workspaceProfiles,
} from './choices.js';
import { type Launch, type LaunchNames, minuteMs, nameIn, type Setting } from './launch-form.js';

interface LaunchFieldsProps {
  readonly launch: Launch;
  readonly names?: LaunchNames;
}

const inherited: Choice = ['', 'Not set here'];
const selects = [
  ['agentType', 'Agent', agents],
  ['effort', 'Effort', efforts],
  ['permissionMode', 'Permissions of the agent', permissionModes],
  ['taskMode', 'A task ends', taskModes],
  ['workspaceProfile', 'Workspace', workspaceProfiles],
] as const;

/** How agents start. A field that is not set is left to the weaker layers. */
export function LaunchFields({ launch, names = {} }: LaunchFieldsProps) {
  const name = (setting: Setting) => nameIn(names, setting);
  const { taskExecutionTimeoutMs: timeoutMs } = launch;
  return (
    <>
      <div className="columns">
        {selects.map(([setting, label, choices]) => (
          <SelectField
            key={setting}
            {...{ label, name: name(setting), choices: [inherited, ...choices] }}
            defaultValue={launch[setting] ?? ''}
          />
        ))}
        <TextField label="Model" name={name('model')} defaultValue={launch.model ?? ''} maxLength={200} />
        <TextField
          label="Longest run in minutes"
          name={name('taskExecutionTimeoutMs')}
          {...{ type: 'number', min: 1, max: 1_440 }}
          defaultValue={timeoutMs ? timeoutMs / minuteMs : ''}
        />
        <TextField
          label="Dev container configuration"
          name={name('devcontainerConfigName')}
          defaultValue={launch.devcontainerConfigName ?? ''}
        />
      </div>
      <TextArea
        label="Added instructions"
        name={name('systemPromptAppend')}
        defaultValue={launch.systemPromptAppend ?? ''}
        maxLength={16_000}
      />
      <details>
        <summary>Machine, and provider of OpenCode</summary>
        <div className="columns">
          <ResourceFields launch={launch} name={name('resourceRequirements')} />
          <OpencodeFields launch={launch} name={name} />
        </div>
      </details>
    </>
  );
}

const demands = [
  ['minVcpu', 'CPUs'],
  ['minMemoryGb', 'Memory in GB'],
  ['minDiskGb', 'Disk in GB'],
  ['maxCoTenants', 'Other workspaces on its node'],
] as const;

function ResourceFields({ launch, name }: { readonly launch: Launch; readonly name: string }) {
  const demanded = launch.resourceRequirements ?? {};
  const isExclusive = demanded.exclusiveNode;
  return (
    <>
      {demands.map(([field, label]) => (
        <TextField
          key={field}
          {...{ label, name: `${name}.${field}`, type: 'number', min: 0, step: 'any' }}
          defaultValue={demanded[field] ?? ''}
        />
      ))}
      <SelectField
        label="A node of its own"
        name={`${name}.exclusiveNode`}
        choices={[inherited, ['yes', 'Yes'], ['no', 'No']]}
        defaultValue={isExclusive ? 'yes' : isExclusive === false ? 'no' : ''}
      />
    </>
  );
}

interface OpencodeFieldsProps {
  readonly launch: Launch;
  readonly name: (setting: Setting) => string;
}

const OpencodeFields = ({ launch, name }: OpencodeFieldsProps) => (
  <>
    <SelectField
      label="Provider of OpenCode"
      name={name('opencodeProvider')}
      choices={[inherited, ...opencodeProviders]}
      defaultValue={launch.opencodeProvider ?? ''}
    />
    <TextField
      label="Address of the provider"
      name={name('opencodeBaseUrl')}
      type="url"
      defaultValue={launch.opencodeBaseUrl ?? ''}
    />
  </>
);
