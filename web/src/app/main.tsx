import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { BerthClient } from '../../../client/berth-client.js';
import { Api } from '../api.js';
import { LiveSocket } from '../live.js';
import { keepInvitation } from '../members/invitation-token.js';
import { App } from './app.js';
import { router } from './router.js';
import {
  forgetAccount,
  type Services,
  ServicesContext,
  type Session,
  sessionKey,
  sessionQuery,
} from './services.js';

const root = document.getElementById('app');
if (!root) throw new Error('The page has no element for the console');

keepInvitation();

const queries = new QueryClient({
  // The live socket brings news. A page that is opened again reads once more.
  defaultOptions: { queries: { retry: 1, staleTime: 5_000, refetchOnWindowFocus: true } },
});
const live = new LiveSocket(
  () => new WebSocket(`${location.origin.replace(/^http/, 'ws')}/live`),
  () => document.visibilityState === 'visible',
);
addEventListener('online', () => live.check());
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') live.check();
});

/** A right that ended in another window ends here too. */
function signedOut(): void {
  if (queries.getQueryData<Session>(sessionKey)) forgetAccount(services);
}

// Another window of this browser signed out: it emptied what both share.
addEventListener('storage', ({ key }) => {
  if (key === null) signedOut();
});
// A sign-in session that ended elsewhere ends the socket.
live.watch(() => {
  if (live.isLost()) void queries.invalidateQueries({ queryKey: sessionKey });
});

const watchedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  if (response.status === 401) signedOut();
  return response;
};

const services: Services = {
  queries,
  client: new BerthClient({ url: location.origin, fetch: watchedFetch }),
  surroundings: {
    live,
    api: new Api(signedOut),
    goTo: (path, notice) => router.history.push(path, notice === undefined ? {} : { notice }),
  },
};

// The requested page and its data load while the session is read.
void queries.prefetchQuery(sessionQuery(services));
router.update({ context: services });
void router.load();
createRoot(root).render(
  <ServicesContext value={services}>
    <QueryClientProvider client={queries}>
      <App />
    </QueryClientProvider>
  </ServicesContext>,
);
