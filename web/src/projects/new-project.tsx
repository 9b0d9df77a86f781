import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useServices } from '../app/services.js';
import { TextField } from '../ui/field.js';
import { Form } from '../ui/form.js';
import { Loaded } from '../ui/loaded.js';
import { nameOfRepository, RepositoryField } from './repository-field.js';
import { projectsKey } from './use-projects.js';
import { type Repositories, useRepositories } from './use-repositories.js';

/** Connects a repository. */
export function NewProject() {
  const choices = useRepositories();
  return (
    <section className="card" aria-labelledby="new-project">
      <h2 id="new-project">New project</h2>
      <Loaded query={choices}>{(repositories) => <NewProjectForm choices={repositories} />}</Loaded>
    </section>
  );
}

function NewProjectForm({ choices }: { readonly choices: Repositories }) {
  const [first] = choices.repositories;
  const [repository, setRepository] = useState(first?.fullName ?? '');
  const [name, setName] = useState(nameOfRepository(repository));
  const creating = useCreate();
  const chosen = choices.repositories.find(({ fullName }) => fullName === repository);
  if (!first)
    return <p>The application of this Berth can see none of your repositories. {installLink(choices)}</p>;
  const submit = () => {
    if (chosen) creating.mutate({ name, repository, installationId: chosen.installationId });
  };
  return (
    <Form error={creating.error} submit={submit}>
      <RepositoryField
        repositories={choices.repositories}
        value={repository}
        choose={(fullName) => {
          setRepository(fullName);
          setName(nameOfRepository(fullName));
        }}
      />
      <TextField
        label="Name"
        name="name"
        required
        maxLength={100}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <div className="bar">
        <button type="submit" className="primary" disabled={creating.isPending}>
          Create project
        </button>
        {installLink(choices)}
      </div>
    </Form>
  );
}

const installLink = ({ installUrl }: Repositories) =>
  installUrl && <a href={installUrl}>Give it access to more repositories</a>;

function useCreate() {
  const { client } = useServices();
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (body: { name: string; repository: string; installationId: string }) =>
      client.call('POST /api/projects', { body }),
    onSuccess: ({ id: projectId }) => {
      void queries.invalidateQueries({ queryKey: projectsKey });
      void navigate({ to: '/projects/$projectId', params: { projectId } });
    },
  });
}
