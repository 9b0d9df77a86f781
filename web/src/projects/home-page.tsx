import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTitle } from '../app/title.js';
import { Failure } from '../ui/failure.js';
import { NewProject } from './new-project.js';
import { ProjectTasks } from './project-tasks.js';
import { lastProject, useProjects } from './use-projects.js';

const route = getRouteApi('/');

/** The tasks of the project that was open last, or the first steps. */
export function HomePage() {
  useTitle('Tasks');
  const { prompt } = route.useSearch();
  const projects = useProjects();
  const [chosenId, choose] = useState<string>();
  if (projects.isPending) return <p className="loading">Loading …</p>;
  if (projects.isError) return <Failure error={projects.error} retry={() => void projects.refetch()} />;
  const project = projects.data.find(({ id }) => id === chosenId) ?? lastProject(projects.data);
  if (!project)
    return (
      <>
        <h1>Tasks</h1>
        <p>A project connects a repository. Agents work in it, and you in its workspaces.</p>
        <NewProject />
      </>
    );
  return (
    <>
      <div className="heading">
        <h1>Tasks</h1>
        <span className="buttons">
          <label htmlFor="project-of-tasks">Project</label>
          <select id="project-of-tasks" value={project.id} onChange={({ target }) => choose(target.value)}>
            {projects.data.map(({ id, name, repository }) => (
              <option key={id} value={id}>
                {name} ({repository})
              </option>
            ))}
          </select>
          <Link to="/projects">All projects</Link>
        </span>
      </div>
      <ProjectTasks project={project} prompt={prompt} />
    </>
  );
}
