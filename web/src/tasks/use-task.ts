import { useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '../../../client/berth-client.js';
import { useServices } from '../app/services.js';
import { useReadAgain } from '../live/use-read-again.js';

export type WholeTask = AnswerOf<'GET /api/projects/{projectId}/tasks/{taskId}'>;

/** A task as it is at this moment. */
export function useTask(projectId: string, taskId: string) {
  const { client } = useServices();
  const queryKey = ['task', projectId, taskId];
  const task = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      client.call('GET /api/projects/{projectId}/tasks/{taskId}', { params: { projectId, taskId }, signal }),
  });
  useReadAgain(`project:${projectId}`, queryKey, ['task-family', projectId]);
  return task;
}
