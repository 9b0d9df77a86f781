import { queryOptions, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { AnswerOf } from '../../../client/berth-client.js';
import { type Services, useServices } from '../app/services.js';

export type WholeProject = AnswerOf<'GET /api/projects/{projectId}'>;
type Capability = WholeProject['capabilities'][number];

const route = getRouteApi('/projects/$projectId');

/** The project of the page. */
export const useProjectId = (): string => route.useParams().projectId;

export const projectKey = (projectId: string) => ['project', projectId] as const;

export const projectQuery = ({ client }: Services, projectId: string) =>
  queryOptions({
    queryKey: projectKey(projectId),
    queryFn: ({ signal }) => client.call('GET /api/projects/{projectId}', { params: { projectId }, signal }),
  });

export const useProject = (projectId: string) => useQuery(projectQuery(useServices(), projectId));

/** Whether its person may do this in the project now; nothing changes in a detached one. */
export const may = ({ capabilities, status }: WholeProject, capability: Capability): boolean =>
  status === 'active' && capabilities.includes(capability);
