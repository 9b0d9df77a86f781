import { useTitle } from '../app/title.js';
import { useProjects } from '../projects/use-projects.js';
import { useRepositories } from '../projects/use-repositories.js';
import { Loaded } from '../ui/loaded.js';
import { NewWorkspaceForm } from './new-workspace-form.js';

/** A project chosen or made, and a workspace of it. */
export function NewWorkspacePage() {
  useTitle('New workspace');
  const repositories = useRepositories();
  const projects = useProjects();
  return (
    <section className="narrow">
      <h1>New workspace</h1>
      <Loaded query={projects}>
        {(all) => (
          <Loaded query={repositories}>
            {(choices) => (
              <NewWorkspaceForm
                projects={all.filter(({ status, role }) => status === 'active' && role !== 'viewer')}
                choices={choices}
              />
            )}
          </Loaded>
        )}
      </Loaded>
    </section>
  );
}
