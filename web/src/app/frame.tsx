import { useMutation } from '@tanstack/react-query';
import { Link, Outlet, useRouter, useRouterState } from '@tanstack/react-router';
import { type MouseEvent, useEffect, useRef } from 'react';
import { messageOf } from '../api-error.js';
import { arrivalNotice, isPage } from '../routes.js';
import { forgetAccount, useServices, useSession } from './services.js';
import { useOnline } from './use-online.js';

const places = [
  ['/', 'Tasks'],
  ['/projects', 'Projects'],
  ['/workspaces', 'Workspaces'],
  ['/nodes', 'Nodes'],
] as const;

/** What surrounds every page: the menu, notices, and the page's place. */
export function Frame() {
  const { surroundings } = useServices();
  const isOnline = useOnline();
  const follow = useFollowedLinks();
  useEffect(() => surroundings.live.hold(), [surroundings]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: links inside are what is pressed
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link is a click
    <div className="frame" onClick={follow}>
      <header>
        <Link to="/" className="brand">
          Berth
        </Link>
        <nav aria-label="Pages">
          {places.map(([to, name]) => (
            <Link key={to} to={to} activeOptions={{ exact: to === '/' }}>
              {name}
            </Link>
          ))}
          <a href="/docs">API</a>
        </nav>
        <Account />
      </header>
      <Page>
        {!isOnline && (
          <p className="notice bad">
            You are offline. What you see may be old; it is read again when you are back.
          </p>
        )}
      </Page>
    </div>
  );
}

function Page({ children }: { readonly children: React.ReactNode }) {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const notice = useRouterState({
    select: ({ location }) => location.state.notice ?? arrivalNotice(location.searchStr),
  });
  const main = useRef<HTMLElement>(null);
  const shown = useRef(path);
  useEffect(() => {
    // As after a page that was loaded: reading begins at its top.
    if (shown.current !== path) main.current?.focus();
    shown.current = path;
  }, [path]);
  return (
    <main id="main" tabIndex={-1} ref={main}>
      <div role="status">
        {children}
        {notice !== undefined && <p className="notice">{notice}</p>}
      </div>
      <Outlet />
    </main>
  );
}

function Account() {
  const services = useServices();
  const { data: session } = useSession();
  const signingOut = useMutation({
    mutationFn: () => services.client.call('POST /api/auth/sign-out'),
    onSuccess: () => {
      history.replaceState(null, '', '/');
      forgetAccount(services);
    },
  });
  return (
    <div className="account">
      <span className="quiet">{session?.user.login}</span>
      <button
        type="button"
        className="small"
        disabled={signingOut.isPending}
        onClick={() => signingOut.mutate()}
      >
        Sign out
      </button>
      {signingOut.isError && <span role="alert">{messageOf(signingOut.error)}</span>}
    </div>
  );
}

/** Links to other pages need no load. Those of hosted pages are plain links. */
function useFollowedLinks() {
  const router = useRouter();
  return (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!link || !isPlain(event) || !isOurs(link)) return;
    event.preventDefault();
    router.history.push(link.pathname + link.search);
  };
}

const isPlain = (event: MouseEvent): boolean =>
  event.button === 0 &&
  !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.defaultPrevented);

const isOurs = ({ target, hash, origin, pathname }: HTMLAnchorElement): boolean =>
  target === '' && hash === '' && origin === location.origin && isPage(pathname);
