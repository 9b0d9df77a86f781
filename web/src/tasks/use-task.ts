import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { AnswerOf } from '../../../client/berth-client.js';
import { useServices } from '../app/services.js';
import { useTopic } from '../live/use-topic.js';

export type WholeTask = AnswerOf<'GET /api/projects/{projectId}/tasks/{taskId}'>;

/** A task as it is at this moment. */
export function useTask(projectId: string, taskId: string) {
  const { client } = useServices();
  const queries = useQueryClient();
  const task = useQuery({
    queryKey: ['task', projectId, taskId],
    queryFn: ({ signal }) =>
      client.call('GET /api/projects/{projectId}/tasks/{taskId}', { params: { projectId, taskId }, signal }),
  });
  const readAgain = useCallback(() => {
    void queries.invalidateQueries({ queryKey: ['task', projectId, taskId] });
    void queries.invalidateQueries({ queryKey: ['task-family', projectId] });
  }, [queries, projectId, taskId]);
  useTopic(`project:${projectId}`, readAgain);
  return task;
}
