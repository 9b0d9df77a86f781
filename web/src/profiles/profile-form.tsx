import { useState } from 'react';
import { useServices } from '../app/services.js';
import { LaunchFields } from '../launch/launch-fields.js';
import { type Launch, type LaunchNames, type Resources, readLaunch } from '../launch/launch-form.js';
import { TextArea, TextField } from '../ui/field.js';
import { Form } from '../ui/form.js';
import { useChange } from '../ui/use-change.js';
import { readEnvironment } from './environment.js';
import type { Kind, NewProfile, Profile } from './kinds.js';

const names: LaunchNames = { resourceRequirements: 'resourceRequirementsJson' };

interface ProfileFormProps {
  readonly kind: Kind;
  readonly projectId: string;
  /** Undefined: a new one. */
  readonly record: Profile | undefined;
  readonly close: () => void;
}

export function ProfileForm({ kind, projectId, record: given, close }: ProfileFormProps) {
  // As the form shows it: a change by somebody else since then is not overwritten.
  const [record] = useState(given);
  const { client } = useServices();
  const saving = useChange([kind.key, projectId], async (data: FormData) => {
    const body = readProfile(data, launchOf(record));
    if (record) await kind.change(client, record, { ...body, version: record.version });
    else await kind.create(client, projectId, body);
    close();
  });
  return (
    <Form className="card" error={saving.error} submit={(data) => saving.mutate(data)}>
      <h3>{record ? record.name : `New ${kind.noun}`}</h3>
      <div className="columns">
        <TextField label="Name" name="name" required maxLength={100} defaultValue={record?.name} autoFocus />
        <TextField
          label="Description"
          name="description"
          maxLength={2_000}
          defaultValue={record?.description ?? ''}
        />
      </div>
      <LaunchFields launch={launchOf(record)} names={names} />
      <StoredVariables variables={record?.environment ?? []} />
      <TextArea
        label={record ? 'Set variables' : 'Variables'}
        name="environment"
        hint="NAME=value, one a line. Values are encrypted and not shown again."
        spellCheck={false}
      />
      <div className="buttons">
        <button type="submit" className="primary" disabled={saving.isPending}>
          Save
        </button>
        <button type="button" onClick={close}>
          Cancel
        </button>
      </div>
    </Form>
  );
}

function StoredVariables({ variables }: { readonly variables: Profile['environment'] }) {
  if (variables.length === 0) return null;
  return (
    <fieldset>
      <legend>Stored variables</legend>
      {variables.map(({ name }) => (
        <label key={name} className="row">
          <input type="checkbox" name="removed" value={name} /> Remove <code>{name}</code>
        </label>
      ))}
    </fieldset>
  );
}

function readProfile(data: FormData, before: Launch): NewProfile {
  const { resourceRequirements, ...settings } = readLaunch(data, names, before);
  const removed = data.getAll('removed').map(String);
  return {
    ...settings,
    name: String(data.get('name')),
    description: String(data.get('description')) || null,
    resourceRequirementsJson: resourceRequirements ?? null,
    environment: readEnvironment(String(data.get('environment')), removed),
  };
}

function launchOf(record: Profile | undefined): Launch {
  if (!record) return {};
  const { resourceRequirementsJson: json } = record;
  // What the API answers here is the text of an object of demands.
  return { ...record, resourceRequirements: json === null ? null : (JSON.parse(json) as Resources) };
}
