import { useState } from 'react';
import { nameOfRepository, RepositoryField } from '../projects/repository-field.js';
import type { Project } from '../projects/use-projects.js';
import type { Repositories } from '../projects/use-repositories.js';
import { SelectField, TextField } from '../ui/field.js';
import { Form } from '../ui/form.js';
import { useCreateWorkspace } from './use-create-workspace.js';

interface NewWorkspaceFormProps {
  readonly projects: readonly Project[];
  readonly choices: Repositories;
}

/** Makes the project, if it is a new one, and then the workspace. */
export function NewWorkspaceForm({ projects, choices }: NewWorkspaceFormProps) {
  const [chosenId, choose] = useState(projects[0]?.id ?? '');
  const creating = useCreateWorkspace(choose);
  const isNew = chosenId === '';
  return (
    <Form
      className="card"
      error={creating.error}
      submit={(data) => {
        const repository = choices.repositories.find(({ fullName }) => fullName === data.get('repository'));
        creating.mutate({ data, projectId: chosenId, repository });
      }}
    >
      <SelectField
        label="Project"
        name="projectId"
        choices={[
          ...projects.map(({ id, name, repository }) => [id, `${name} (${repository})`] as const),
          ['', 'New project from a repository …'],
        ]}
        value={chosenId}
        onChange={({ target }) => choose(target.value)}
      />
      {isNew && <ProjectFields choices={choices} />}
      <TextField label="Workspace name" name="displayName" maxLength={100} hint="Optional." />
      <TextField
        label="Branch"
        name="branch"
        maxLength={100}
        hint="Optional. Default: the default branch of the project."
      />
      <button
        type="submit"
        className="primary"
        disabled={creating.isPending || (isNew && choices.repositories.length === 0)}
      >
        Create workspace
      </button>
    </Form>
  );
}

function ProjectFields({ choices }: { readonly choices: Repositories }) {
  const [repository, setRepository] = useState(choices.repositories[0]?.fullName ?? '');
  return (
    <fieldset>
      <legend>New project</legend>
      {choices.repositories.length > 0 ? (
        <RepositoryField repositories={choices.repositories} value={repository} choose={setRepository} />
      ) : (
        <p className="notice">
          Berth has access to none of your repositories. Install its application on the repositories that you
          want to work on.
        </p>
      )}
      <TextField
        key={repository}
        label="Project name"
        name="name"
        required
        maxLength={100}
        defaultValue={nameOfRepository(repository)}
      />
      <MoreRepositories choices={choices} />
    </fieldset>
  );
}

function MoreRepositories({
  choices: { installUrl, failedInstallations = [] },
}: {
  readonly choices: Repositories;
}) {
  const { length } = failedInstallations;
  return (
    <p className="hint">
      {length > 0 && `${length} installation(s) could not be read and are missing here. `}
      {installUrl && <a href={installUrl}>Give Berth access to more repositories</a>}
    </p>
  );
}
