import { Link } from '@tanstack/react-router';
import { useTitle } from '../app/title.js';
import { Failure } from '../ui/failure.js';
import { NewProject } from './new-project.js';
import { useProjects } from './use-projects.js';

export function ProjectsPage() {
  useTitle('Projects');
  const projects = useProjects();
  if (projects.isPending) return <p className="loading">Loading …</p>;
  if (projects.isError) return <Failure error={projects.error} retry={() => void projects.refetch()} />;
  return (
    <>
      <h1>Projects</h1>
      {projects.data.length === 0 && <p className="card">No projects yet. Connect a repository below.</p>}
      <ul className="plain">
        {projects.data.map(({ id: projectId, name, repository, role, status }) => (
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
      <NewProject />
    </>
  );
}
