import { getRouteApi, Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useTitle } from '../app/title.js';
import { Loaded } from '../ui/loaded.js';
import { ProjectTasks } from './project-tasks.js';
import { lastProject, type Project, useProjects } from './use-projects.js';

const route = getRouteApi('/');

/** A new person needs them, and nobody else. */
const FirstSteps = lazy(() =>
  import('../start/start-page.js').then((file) => ({ default: file.FirstSteps })),
);

/** The tasks of the project that was open last, or the first steps. */
export function HomePage() {
  useTitle('Tasks');
  const { prompt } = route.useSearch();
  const projects = useProjects();
  return (
    <Loaded query={projects} title="Tasks">
      {(all) => <TasksOfOne projects={all} prompt={prompt} />}
    </Loaded>
  );
}

interface TasksOfOneProps {
  readonly projects: readonly Project[];
  readonly prompt: string | undefined;
}

function TasksOfOne({ projects, prompt }: TasksOfOneProps) {
  const [chosenId, choose] = useState<string>();
  const project = projects.find(({ id }) => id === chosenId) ?? lastProject(projects);
  if (!project)
    return (
      <>
        <h1>Tasks</h1>
        <Suspense fallback={<p className="loading">Loading …</p>}>
          <FirstSteps />
        </Suspense>
      </>
    );
  return (
    <>
      <div className="heading">
        <h1>Tasks</h1>
        <span className="buttons">
          <label htmlFor="project-of-tasks">Project</label>
          <select id="project-of-tasks" value={project.id} onChange={({ target }) => choose(target.value)}>
            {projects.map(({ id, name, repository }) => (
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
