import { Link } from '@tanstack/react-router';
import { useTitle } from '../app/title.js';
import { Loaded } from '../ui/loaded.js';
import { NewProject } from './new-project.js';
import { type Project, useProjects } from './use-projects.js';

export function ProjectsPage() {
  useTitle('Projects');
  const projects = useProjects();
  return (
    <>
      <h1>Projects</h1>
      <Loaded query={projects}>{(all) => <ProjectList projects={all} />}</Loaded>
      <NewProject />
    </>
  );
}

const ProjectList = ({ projects }: { readonly projects: readonly Project[] }) => (
  <>
    {projects.length === 0 && <p className="card">No projects yet. Connect a repository below.</p>}
    <ul className="plain">
      {projects.map(({ id: projectId, name, repository, role, status }) => (
        <li key={projectId} className="card row">
          <Link to="/projects/$projectId" params={{ projectId }} className="strong">
            {name}
          </Link>
          <span className="quiet">{repository}</span>
          <span className="quiet">{role}</span>
          {status === 'detached' && <span className="badge warn">detached</span>}
        </li>
      ))}
    </ul>
  </>
);
