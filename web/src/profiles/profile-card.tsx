import { useState } from 'react';
import { useServices } from '../app/services.js';
import { agents, efforts, nameOf, permissionModes } from '../launch/choices.js';
import { ConfirmButton } from '../ui/confirm-button.js';
import type { Kind, Profile } from './kinds.js';
import { ProfileForm } from './profile-form.js';

interface ProfileCardProps {
  readonly kind: Kind;
  readonly record: Profile;
  readonly mayChange: boolean;
}

export function ProfileCard({ kind, record, mayChange }: ProfileCardProps) {
  const { client, queries } = useServices();
  const [isOpen, setOpen] = useState(false);
  const { projectId, name, description, environment } = record;
  const remove = async () => {
    await kind.remove(client, record);
    await queries.invalidateQueries({ queryKey: [kind.key, projectId] });
  };
  if (isOpen)
    return (
      <li>
        <ProfileForm {...{ kind, projectId, record }} close={() => setOpen(false)} />
      </li>
    );
  return (
    <li className="card">
      <div className="row">
        <span className="strong">{name}</span>
        <span className="quiet">{summaryOf(record)}</span>
        {mayChange && (
          <span className="buttons end">
            <button type="button" className="small" aria-label={`Edit ${name}`} onClick={() => setOpen(true)}>
              Edit
            </button>
            <ConfirmButton label="Delete" about={name} title={`Delete ${name}?`} run={remove}>
              Tasks that were submitted with it keep their settings. Its variables are not set any more.
            </ConfirmButton>
          </span>
        )}
      </div>
      {description && <p>{description}</p>}
      {environment.length > 0 && <Variables variables={environment} />}
    </li>
  );
}

const Variables = ({ variables }: { readonly variables: Profile['environment'] }) => (
  <p className="hint">
    Variables:{' '}
    {variables.map(({ name, refused }, index) => (
      <span key={name}>
        {index > 0 && ', '}
        <code>{name}</code>
        {refused && <span className="bad"> (not set: {refused})</span>}
      </span>
    ))}
  </p>
);

const summaryOf = ({ agentType, model, effort, permissionMode }: Profile): string =>
  [
    nameOf(agents, agentType),
    model,
    effort && `effort ${nameOf(efforts, effort)?.toLowerCase()}`,
    nameOf(permissionModes, permissionMode)?.toLowerCase(),
  ]
    .filter(Boolean)
    .join(' · ');
