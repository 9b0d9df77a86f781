import { Link, Outlet } from '@tanstack/react-router';
import { Loaded } from '../ui/loaded.js';
import { useProject, useProjectId, type WholeProject } from './use-project.js';

/** What all pages of a project have: its name, and the way from one to the other. */
export function ProjectPage() {
  const projectId = useProjectId();
  return (
    <Loaded query={useProject(projectId)} title="Project">
      {(project) => (
        <>
          <Heading project={project} />
          <nav aria-label="Project" className="tabs">
            {tabs.map(([to, name]) => (
              <Link
                key={to}
                to={to}
                params={{ projectId }}
                activeOptions={{ exact: true, includeSearch: false }}
              >
                {name}
              </Link>
            ))}
          </nav>
          <Outlet />
        </>
      )}
    </Loaded>
  );
}

const tabs = [
  ['/projects/$projectId', 'Tasks'],
  ['/projects/$projectId/members', 'Members'],
  ['/projects/$projectId/profiles', 'Profiles'],
  ['/projects/$projectId/skills', 'Skills'],
  ['/projects/$projectId/credentials', 'Credentials'],
  ['/projects/$projectId/settings', 'Defaults and limits'],
] as const;

const Heading = ({ project }: { readonly project: WholeProject }) => (
  <>
    <div className="heading">
      <h1>{project.name}</h1>
      {project.status === 'detached' && <span className="badge warn">detached</span>}
    </div>
    <p className="quiet">
      {project.repository}, branch {project.defaultBranch}
    </p>
    {project.status === 'detached' && (
      <p className="notice warn">
        This project is detached: nothing new can start in it, and it only stays readable.
      </p>
    )}
  </>
);
