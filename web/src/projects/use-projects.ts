import { queryOptions, useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '../../../client/berth-client.js';
import { type Services, useServices } from '../app/services.js';

export type Project = AnswerOf<'GET /api/projects'>['projects'][number];
export const projectsKey = ['projects'] as const;

export const projectsQuery = ({ client }: Services) =>
  queryOptions({
    queryKey: projectsKey,
    queryFn: async ({ signal }) => {
      const projects: Project[] = [];
      for await (const project of client.list('GET /api/projects', 'projects', {
        query: { limit: 100 },
        signal,
      }))
        projects.push(project);
      return projects;
    },
  });

/** All projects of the person. */
export const useProjects = () => useQuery(projectsQuery(useServices()));

const lastKey = 'berth.project';

export const rememberProject = (projectId: string): void => localStorage.setItem(lastKey, projectId);

/** The project that was open last in this browser, if any. It may be gone. */
export const rememberedProject = (): string | undefined => localStorage.getItem(lastKey) ?? undefined;

/** The one that was open last in this browser, else the first. */
export const lastProject = (projects: readonly Project[]): Project | undefined =>
  projects.find(({ id }) => id === rememberedProject()) ?? projects[0];
