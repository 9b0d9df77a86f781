import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { AnswerOf } from '../../../client/berth-client.js';
import { useServices, useSession } from '../app/services.js';
import { useReadAgain } from '../live/use-read-again.js';
import { useTopic } from '../live/use-topic.js';
import { usePages } from '../ui/use-pages.js';
import { notify } from './notify.js';

export type Item = AnswerOf<'GET /api/inbox'>['items'][number];

const itemsKey = ['inbox', 'items'] as const;
const countKey = ['inbox', 'count'] as const;

const useInboxTopic = (): string | undefined => {
  const id = useSession().data?.user.id;
  return id === undefined ? undefined : `user:${id}`;
};

/** What waits for the person, as it is at this moment. */
export function useInbox() {
  const { client } = useServices();
  useReadAgain(useInboxTopic(), itemsKey);
  return usePages(itemsKey, (query, signal) => client.call('GET /api/inbox', { query, signal }));
}

/** How much it is. A new item is also notified, where the person wants that. */
export function useInboxCount(): number {
  const { client, surroundings } = useServices();
  const queries = useQueryClient();
  const count = useQuery({
    queryKey: countKey,
    queryFn: async ({ signal }) =>
      (await client.call('GET /api/inbox', { query: { limit: 1 }, signal })).count ?? 0,
  });
  useTopic(useInboxTopic(), (message) => {
    if (message === undefined) void queries.invalidateQueries({ queryKey: countKey });
    else if (message.type === 'inbox.added' || message.type === 'inbox.resolved')
      queries.setQueryData(countKey, message.data.count);
    if (message?.type === 'inbox.added')
      notify(message.data.item, () => surroundings.goTo(message.data.item.link));
  });
  return count.data ?? 0;
}

/** Takes an item away. */
export function useDismissal() {
  const { client } = useServices();
  const queries = useQueryClient();
  return async (itemId: string): Promise<void> => {
    await client.call('DELETE /api/inbox/{itemId}', { params: { itemId } });
    await queries.invalidateQueries({ queryKey: ['inbox'] });
  };
}
