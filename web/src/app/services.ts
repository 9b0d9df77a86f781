import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import type { AnswerOf, BerthClient } from '../../../client/berth-client.js';
import { endPush } from '../inbox/push.js';
import { chooseTheme, chosenTheme } from '../theme/chosen-theme.js';
import type { Surroundings } from '../view.js';

/** What every page uses. */
export interface Services {
  readonly surroundings: Surroundings;
  readonly client: BerthClient;
  readonly queries: QueryClient;
}

export const ServicesContext = createContext<Services | undefined>(undefined);

export function useServices(): Services {
  const services = useContext(ServicesContext);
  if (!services) throw new Error('There are no services here');
  return services;
}

export const sessionKey = ['session'] as const;
export type Session = AnswerOf<'GET /api/auth/session'>;

export const sessionQuery = ({ client }: Pick<Services, 'client'>) =>
  queryOptions({
    queryKey: sessionKey,
    queryFn: () => client.call('GET /api/auth/session'),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Who is signed in; null when nobody is. */
export const useSession = () => useQuery(sessionQuery(useServices()));

/** Nothing that was read for an account stays after its sign-out. */
export function forgetAccount({ queries, surroundings }: Services): void {
  surroundings.live[Symbol.dispose]();
  // The API ends it with the session, whether the browser does or not.
  void endPush().catch(() => undefined);
  const theme = chosenTheme();
  for (const storage of [sessionStorage, localStorage]) storage.clear();
  chooseTheme(theme);
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
  queries.setQueryData(sessionKey, null);
}
