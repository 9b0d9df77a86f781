import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { isRefusal } from '../api-error.js';
import { Failure } from './failure.js';

interface LoadedProps<T> {
  readonly query: Pick<UseQueryResult<T>, 'data' | 'isPending' | 'error'> & { refetch(): Promise<unknown> };
  /** The heading of a page whose own comes with what is read. */
  readonly title?: string;
  readonly children: (data: T) => ReactNode;
}

/**
 * What was read, or that it is on its way, or why it is not there. A later read that fails changes
 * nothing, except when the person may not see it any more.
 */
export function Loaded<T>({ query, title, children }: LoadedProps<T>) {
  if (query.data !== undefined && !isRefusal(query.error)) return children(query.data);
  return (
    <>
      {title && <h1>{title}</h1>}
      {query.isPending ? (
        <p className="loading">Loading …</p>
      ) : (
        <Failure error={query.error} retry={() => void query.refetch()} />
      )}
    </>
  );
}
