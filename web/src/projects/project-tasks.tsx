import { useEffect } from 'react';
import { Composer } from '../tasks/composer.js';
import { TaskList } from '../tasks/task-list.js';
import { type Project, rememberProject } from './use-projects.js';

interface ProjectTasksProps {
  readonly project: Project;
  readonly prompt: string | undefined;
}

export function ProjectTasks({ project, prompt }: ProjectTasksProps) {
  useEffect(() => rememberProject(project.id), [project.id]);
  return (
    <>
      {project.role === 'viewer' ? (
        <p className="notice">
          You may look at this project. Ask an admin of it for the right to start tasks.
        </p>
      ) : (
        <Composer key={project.id} projectId={project.id} repository={project.repository} prompt={prompt} />
      )}
      <TaskList projectId={project.id} />
    </>
  );
}
