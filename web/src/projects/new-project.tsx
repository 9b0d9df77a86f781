import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { AnswerOf } from '../../../client/berth-client.js';
import { messageOf } from '../api-error.js';
import { useServices } from '../app/services.js';
import { Failure } from '../ui/failure.js';
import { projectsKey } from './use-projects.js';

type Repositories = AnswerOf<'GET /api/codehost/repositories'>;

/** Connects a repository. */
export function NewProject() {
  const { client } = useServices();
  const choices = useQuery({
    queryKey: ['repositories'],
    queryFn: ({ signal }) => client.call('GET /api/codehost/repositories', { signal }),
  });
  return (
    <section className="card" aria-labelledby="new-project">
      <h2 id="new-project">New project</h2>
      {choices.isPending && <p className="loading">Loading …</p>}
      {choices.isError && <Failure error={choices.error} retry={() => void choices.refetch()} />}
      {choices.data && <NewProjectForm choices={choices.data} />}
    </section>
  );
}

function NewProjectForm({ choices }: { readonly choices: Repositories }) {
  const [first] = choices.repositories;
  const [repository, setRepository] = useState(first?.fullName ?? '');
  const [name, setName] = useState(nameOf(repository));
  const creating = useCreate();
  const chosen = choices.repositories.find(({ fullName }) => fullName === repository);
  if (!first)
    return <p>The application of this Berth can see none of your repositories. {installLink(choices)}</p>;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (chosen) creating.mutate({ name, repository, installationId: chosen.installationId });
  };
  return (
    <form onSubmit={submit}>
      <p>
        <label htmlFor="new-repository">Repository</label>
        <select
          id="new-repository"
          value={repository}
          onChange={({ target }) => {
            setRepository(target.value);
            setName(nameOf(target.value));
          }}
        >
          {choices.repositories.map(({ fullName }) => (
            <option key={fullName}>{fullName}</option>
          ))}
        </select>
      </p>
      <p>
        <label htmlFor="new-name">Name</label>
        <input id="new-name" required value={name} onChange={({ target }) => setName(target.value)} />
      </p>
      <div className="bar">
        <button type="submit" className="primary" disabled={creating.isPending}>
          Create project
        </button>
        {installLink(choices)}
      </div>
      {creating.isError && (
        <p className="notice bad" role="alert">
          {messageOf(creating.error)}
        </p>
      )}
    </form>
  );
}

const nameOf = (repository: string): string => repository.split('/').at(-1) ?? '';

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
