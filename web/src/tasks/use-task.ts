import { queryOptions, useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '../../../client/berth-client.js';
import { type Services, useServices } from '../app/services.js';
import { useReadAgain } from '../live/use-read-again.js';

export type WholeTask = AnswerOf<'GET /api/projects/{projectId}/tasks/{taskId}'>;

export const taskQuery = ({ client }: Services, projectId: string, taskId: string) =>
  queryOptions({
    queryKey: ['task', projectId, taskId],
    queryFn: ({ signal }) =>
      client.call('GET /api/projects/{projectId}/tasks/{taskId}', { params: { projectId, taskId }, signal }),
  });

/** A task as it is at this moment. */
export function useTask(projectId: string, taskId: string) {
  const options = taskQuery(useServices(), projectId, taskId);
  const task = useQuery(options);
  useReadAgain(`project:${projectId}`, options.queryKey, ['task-family', projectId]);
  return task;
}
