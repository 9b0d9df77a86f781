import { useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '../../../client/berth-client.js';
import { useServices } from '../app/services.js';

export type Node = AnswerOf<'GET /api/nodes'>['nodes'][number];
export const nodesKey = ['nodes'] as const;

const refreshEveryMs = 10_000;

/** All nodes of the person, read again while somebody looks: no live topic has them. */
export function useNodes() {
  const { client } = useServices();
  return useQuery({
    queryKey: nodesKey,
    refetchInterval: refreshEveryMs,
    queryFn: async ({ signal }) => {
      const nodes: Node[] = [];
      for await (const node of client.list('GET /api/nodes', 'nodes', { query: { limit: 100 }, signal }))
        nodes.push(node);
      return nodes;
    },
  });
}
