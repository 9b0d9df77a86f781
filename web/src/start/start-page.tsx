import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTitle } from '../app/title.js';
import { NewCredential } from '../credentials/new-credential.js';
import { useOwnWallet } from '../credentials/use-own-wallet.js';
import { NewProject } from '../projects/new-project.js';
import { lastProject, useProjects } from '../projects/use-projects.js';
import { useRepositories } from '../projects/use-repositories.js';
import { Loaded } from '../ui/loaded.js';

/** The needs of a new person before an agent can work, and their state. */
export function StartPage() {
  useTitle('First steps');
  return (
    <>
      <h1>First steps</h1>
      <FirstSteps />
    </>
  );
}

export const FirstSteps = () => (
  <>
    <p>An agent works on a task in a workspace of its own, which is made of your repository.</p>
    <RepositoryStep />
    <KeyStep />
    <ProjectStep />
  </>
);

interface StepProps {
  readonly title: string;
  readonly isDone: boolean;
  readonly children: ReactNode;
}

const Step = ({ title, isDone, children }: StepProps) => (
  <section className="card" aria-label={title}>
    <h2>
      {title} <span className={`badge ${isDone ? 'good' : ''}`}>{isDone ? 'done' : 'to do'}</span>
    </h2>
    {children}
  </section>
);

function RepositoryStep() {
  const repositories = useRepositories();
  return (
    <Loaded query={repositories}>
      {({ repositories: all, installUrl }) => (
        <Step title="1. Access to your repositories" isDone={all.length > 0}>
          <p>
            {all.length > 0
              ? `Berth can use ${all.length === 1 ? '1 repository' : `${all.length} repositories`} of yours.`
              : 'The application of this Berth is not installed for any of your repositories.'}
          </p>
          {installUrl && <a href={installUrl}>Give it access to more repositories</a>}
        </Step>
      )}
    </Loaded>
  );
}

function KeyStep() {
  const wallet = useOwnWallet();
  const stored = useQuery({ queryKey: wallet.key, queryFn: () => wallet.list() });
  return (
    <Loaded query={stored}>
      {({ credentials }) => (
        <Step title="2. A key for your agent" isDone={credentials.length > 0}>
          <p>
            {credentials.length > 0
              ? `Stored for: ${credentials.map(({ provider }) => provider).join(', ')}.`
              : 'An agent calls the provider of its model with your key. Your project or the deployment may have one that you can use: then you need none.'}{' '}
            <Link to="/settings">All your credentials</Link>
          </p>
          <NewCredential wallet={wallet} />
        </Step>
      )}
    </Loaded>
  );
}

function ProjectStep() {
  return (
    <Loaded query={useProjects()}>
      {(all) => {
        const project = lastProject(all);
        return (
          <Step title="3. A project, and its first task" isDone={project !== undefined}>
            <p>A project connects a repository. Agents work in it, and you in its workspaces.</p>
            {project ? <FirstTask projectId={project.id} name={project.name} /> : <NewProject />}
          </Step>
        );
      }}
    </Loaded>
  );
}

const firstPrompt = 'Read this repository, and describe in five sentences what it does.';

/** The link fills the form. The person sends it. */
const FirstTask = ({ projectId, name }: { readonly projectId: string; readonly name: string }) => (
  <Link
    className="button primary"
    to="/projects/$projectId"
    params={{ projectId }}
    search={{ prompt: firstPrompt }}
  >
    Write a first task in {name}
  </Link>
);
