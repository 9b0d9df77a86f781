import { placementStrategies } from '../launch/choices.js';
import { minuteMs } from '../launch/launch-form.js';
import { SelectField, TextField } from '../ui/field.js';
import type { WholeProject } from './use-project.js';

const counts = [
  ['maxConcurrentTasks', 'Tasks at a time', 'Platform: 10'],
  ['maxDispatchDepth', 'Depth of subtasks', 'Platform: 3'],
  ['maxSubTasksPerTask', 'Subtasks of a task', 'Platform: 5'],
  ['maxWorkspacesPerNode', 'Workspaces on a node', 'Platform: the capacity of the node'],
] as const;
const times = [
  ['workspaceIdleTimeoutMs', 'Idle minutes until a workspace stops', 'Platform: 120'],
  ['warmNodeTimeoutMs', 'Minutes that an empty node waits', 'Platform: 30'],
] as const;

/** An empty field leaves the limit to the platform. */
export const LimitFields = ({ project }: { readonly project: WholeProject }) => (
  <div className="columns">
    {counts.map(([name, label, hint]) => (
      <TextField
        key={name}
        {...{ label, name, hint, type: 'number', min: 0 }}
        defaultValue={project[name] ?? ''}
      />
    ))}
    {times.map(([name, label, hint]) => (
      <TextField
        key={name}
        {...{ label, name, hint, type: 'number', min: 0, step: 'any' }}
        defaultValue={inMinutes(project[name])}
      />
    ))}
    <SelectField
      label="Placement"
      name="placementStrategy"
      choices={[['', 'Platform: balanced'], ...placementStrategies]}
      defaultValue={project.placementStrategy ?? ''}
    />
    <SelectField
      label="Memory after a workspace ran out of it"
      name="raiseMemoryAfterOom"
      choices={[
        ['', 'Platform: one size more'],
        ['yes', 'One size more'],
        ['no', 'The same'],
      ]}
      defaultValue={yesOrNo(project.raiseMemoryAfterOom)}
    />
  </div>
);

const yesOrNo = (value: boolean | null | undefined): string =>
  typeof value === 'boolean' ? (value ? 'yes' : 'no') : '';

const inMinutes = (ms: number | null | undefined): number | '' =>
  typeof ms === 'number' ? ms / minuteMs : '';
