import { Outlet, useRouter, useRouterState } from '@tanstack/react-router';
import { lazy, type MouseEvent, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { useInboxKeys } from '../inbox/use-inbox-keys.js';
import { ConnectionNotice } from '../live/connection-notice.js';
import { arrivalNotice, isPage } from '../routes.js';
import { usePanes } from './panes.js';
import { Rail } from './rail.js';
import { useServices } from './services.js';
import { useLoadedAhead } from './use-loaded-ahead.js';

const loadPalette = () => import('../palette/palette.js').then((file) => ({ default: file.Palette }));
const Palette = lazy(loadPalette);

/** What surrounds every page: the rail, the palette, notices, and the page's place. */
export function Frame() {
  const { surroundings } = useServices();
  const follow = useFollowedLinks();
  const palette = usePalette();
  usePanes();
  useInboxKeys();
  useEffect(() => surroundings.live.hold(), [surroundings]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: links inside are what is pressed
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link is a click
    <div className="frame" onClick={follow}>
      <Rail openPalette={palette.open} />
      <Page>
        <ConnectionNotice />
      </Page>
      {palette.isOpen && (
        <Suspense>
          <Palette close={palette.close} />
        </Suspense>
      )}
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
    <main id="main" data-pane="" tabIndex={-1} ref={main}>
      <div role="status">
        {children}
        {notice !== undefined && <p className="notice">{notice}</p>}
      </div>
      <Outlet />
    </main>
  );
}

/** Ctrl+K or Cmd+K opens it. A terminal keeps its own Ctrl+K. */
function usePalette() {
  const [isOpen, setOpen] = useState(false);
  // Keys that are typed after Ctrl+K must find the field.
  useLoadedAhead(loadPalette);
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const isShortcut = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey);
      if (!isShortcut || event.altKey || event.defaultPrevented) return;
      event.preventDefault();
      setOpen(true);
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
  const close = useCallback(() => setOpen(false), []);
  const open = useCallback(() => setOpen(true), []);
  return { isOpen, open, close };
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
