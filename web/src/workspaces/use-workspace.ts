import { useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '../../../client/berth-client.js';
import { useServices } from '../app/services.js';
import { useReadAgain } from '../live/use-read-again.js';

export type WholeWorkspace = AnswerOf<'GET /api/workspaces/{workspaceId}'>;

/** A workspace of one's own, as it is at this moment. */
export function useWorkspace(workspaceId: string) {
  const { client } = useServices();
  const queryKey = ['workspace', workspaceId];
  const workspace = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      client.call('GET /api/workspaces/{workspaceId}', { params: { workspaceId }, signal }),
  });
  // Only its owner may follow it.
  useReadAgain(workspace.isSuccess ? `workspace:${workspaceId}` : undefined, queryKey);
  return workspace;
}
