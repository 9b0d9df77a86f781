import { useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '../../../client/berth-client.js';
import { useServices } from '../app/services.js';

export type Repositories = AnswerOf<'GET /api/codehost/repositories'>;

/** What the person can make projects from, and where more of it is allowed. */
export function useRepositories() {
  const { client } = useServices();
  return useQuery({
    queryKey: ['repositories'],
    queryFn: ({ signal }) => client.call('GET /api/codehost/repositories', { signal }),
  });
}
