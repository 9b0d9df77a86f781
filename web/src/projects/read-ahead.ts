import type { Services } from '../app/services.js';
import { tasksQuery } from '../tasks/task-list.js';
import { taskQuery } from '../tasks/use-task.js';
import { projectQuery } from './use-project.js';
import { projectsQuery, rememberedProject } from './use-projects.js';

/**
 * These request the data of a page before its code is loaded, and before the session is read. In a
 * browser that knows no project they do nothing: probably nobody is signed in.
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
