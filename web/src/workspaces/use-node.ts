import { useMemo } from 'react';
import type { Reader } from '../api.js';
import { ApiError } from '../api-error.js';
import { useServices } from '../app/services.js';
import { callNode } from '../node-call.js';
import { TerminalToken } from '../records.js';

export interface NodeQuery<T> {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly reads: Reader<T>;
  readonly signal?: AbortSignal;
}
export type ReadNode = <T>(query: NodeQuery<T>) => Promise<T>;

/** A token lives for an hour, and each person gets 60 an hour. */
const tokenMs = 50 * 60_000;

/** Reads what the node of a running workspace answers and the control plane does not. */
export function useNode(workspaceId: string): ReadNode {
  const { surroundings, queries } = useServices();
  return useMemo(() => {
    const queryKey = ['node-token', workspaceId];
    const tokenQuery = {
      queryKey,
      queryFn: () =>
        surroundings.api.call('/api/terminal/token', {
          ...{ method: 'POST', body: { workspaceId }, reads: TerminalToken },
        }),
      staleTime: tokenMs,
    };
    return async ({ path, query = {}, ...call }) => {
      const token = await queries.fetchQuery(tokenQuery);
      const asked = { workspaceId, path: `${path}?${new URLSearchParams(query)}`, ...call };
      return callNode(token, asked).catch((error: unknown) => {
        // The workspace may have another generation, or another node.
        if (isRefusal(error)) queries.removeQueries({ queryKey });
        throw error;
      });
    };
  }, [surroundings, queries, workspaceId]);
}

const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.status === 401;
