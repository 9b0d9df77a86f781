import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useServices } from '../app/services.js';
import { useTitle } from '../app/title.js';
import { Failure } from '../ui/failure.js';
import { ProjectTasks } from './project-tasks.js';

const route = getRouteApi('/projects/$projectId');

export function ProjectPage() {
  const { client } = useServices();
  const { projectId } = route.useParams();
  const { prompt } = route.useSearch();
  const project = useQuery({
    queryKey: ['project', projectId],
    queryFn: ({ signal }) => client.call('GET /api/projects/{projectId}', { params: { projectId }, signal }),
  });
  useTitle(project.data?.name ?? 'Project');
  if (project.isPending) return <p className="loading">Loading …</p>;
  if (project.isError) return <Failure error={project.error} retry={() => void project.refetch()} />;
  return (
    <>
      <h1>{project.data.name}</h1>
      <p className="quiet">
        {project.data.repository}, branch {project.data.defaultBranch}
      </p>
      <ProjectTasks project={project.data} prompt={prompt} />
    </>
  );
}
