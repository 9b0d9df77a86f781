import { getRouteApi } from '@tanstack/react-router';
import { useTitle } from '../app/title.js';
import { Loaded } from '../ui/loaded.js';
import { ProjectTasks } from './project-tasks.js';
import { useProject, useProjectId } from './use-project.js';

const route = getRouteApi('/projects/$projectId/');

export function ProjectTasksPage() {
  const project = useProject(useProjectId());
  const { prompt } = route.useSearch();
  useTitle(project.data?.name ?? 'Project');
  return <Loaded query={project}>{(data) => <ProjectTasks project={data} prompt={prompt} />}</Loaded>;
}
