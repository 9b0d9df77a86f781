import { type QueryKey, useInfiniteQuery } from '@tanstack/react-query';

interface PageQuery {
  readonly limit: number;
  readonly cursor?: string;
}
type ReadPage<Page> = (query: PageQuery, signal: AbortSignal) => Promise<Page>;

/** The options of a query that reads a list a page at a time. */
export const pagesOf = <Page extends { readonly nextCursor: string | null }>(
  queryKey: QueryKey,
  read: ReadPage<Page>,
) => ({
  queryKey,
  queryFn: ({ pageParam, signal }: { readonly pageParam: string; readonly signal: AbortSignal }) =>
    read({ limit: 50, ...(pageParam ? { cursor: pageParam } : {}) }, signal),
  initialPageParam: '',
  getNextPageParam: ({ nextCursor }: Page) => nextCursor,
});

/** A list that is read a page at a time, as far as its person has asked for more. */
export const usePages = <Page extends { readonly nextCursor: string | null }>(
  queryKey: QueryKey,
  read: ReadPage<Page>,
  refetchInterval: number | false = false,
) => useInfiniteQuery({ ...pagesOf(queryKey, read), refetchInterval });
