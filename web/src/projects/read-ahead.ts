import type { Services } from '../app/services.js';
import { tasksQuery } from '../tasks/task-list.js';
import { taskQuery } from '../tasks/use-task.js';
import { projectQuery } from './use-project.js';
import { projectsQuery, rememberedProject } from './use-projects.js';

/**
 * These begin to read what a page shows, before the page is there. The session may not be read yet:
 * in a browser without a project from before, nobody may be signed in, and they do nothing.
 */
export function readTasksAhead(services: Services, projectId = rememberedProject()): void {
  if (projectId === undefined || rememberedProject() === undefined) return;
  void services.queries.prefetchInfiniteQuery(tasksQuery(services, projectId));
}

export function readProjectsAhead(services: Services): void {
  if (rememberedProject() !== undefined) void services.queries.prefetchQuery(projectsQuery(services));
}

export function readProjectAhead(services: Services, projectId: string): void {
  if (rememberedProject() !== undefined)
    void services.queries.prefetchQuery(projectQuery(services, projectId));
}

interface PlaceOfTask {
  readonly projectId: string;
  readonly taskId: string;
}

export function readTaskAhead(services: Services, { projectId, taskId }: PlaceOfTask): void {
  if (rememberedProject() !== undefined)
    void services.queries.prefetchQuery(taskQuery(services, projectId, taskId));
}
