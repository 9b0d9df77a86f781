import { type QueryKey, useInfiniteQuery } from '@tanstack/react-query';

interface PageQuery {
  readonly limit: number;
  readonly cursor?: string;
}
type ReadPage<Page> = (query: PageQuery, signal: AbortSignal) => Promise<Page>;

/** A list that is read a page at a time, as far as its person has asked for more. */
export const usePages = <Page extends { readonly nextCursor: string | null }>(
  queryKey: QueryKey,
  read: ReadPage<Page>,
  refetchInterval: number | false = false,
) =>
  useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      read({ limit: 50, ...(pageParam ? { cursor: pageParam } : {}) }, signal),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }: Page) => nextCursor,
    refetchInterval,
  });
