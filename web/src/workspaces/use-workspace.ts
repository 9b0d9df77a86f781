import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { AnswerOf } from '../../../client/berth-client.js';
import { useServices } from '../app/services.js';
import { useTopic } from '../live/use-topic.js';

export type WholeWorkspace = AnswerOf<'GET /api/workspaces/{workspaceId}'>;

/** A workspace of one's own, as it is at this moment. */
export function useWorkspace(workspaceId: string) {
  const { client } = useServices();
  const queries = useQueryClient();
  const workspace = useQuery({
    queryKey: ['workspace', workspaceId],
    queryFn: ({ signal }) =>
      client.call('GET /api/workspaces/{workspaceId}', { params: { workspaceId }, signal }),
  });
  const readAgain = useCallback(
    () => void queries.invalidateQueries({ queryKey: ['workspace', workspaceId] }),
    [queries, workspaceId],
  );
  // Only its owner may follow it.
  useTopic(workspace.isSuccess ? `workspace:${workspaceId}` : undefined, readAgain);
  return workspace;
}
