import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { messageOf } from '../api-error.js';
import { InboxCount } from '../inbox/inbox-count.js';
import { Icon } from './icons.js';
import { useServices, useSession } from './services.js';
import { signOut } from './sign-out.js';

/** Where people work; below 768 px the bar at the bottom. */
const places = [
  ['/inbox', 'inbox', 'Inbox'],
  ['/', 'tasks', 'Tasks'],
  ['/projects', 'projects', 'Projects'],
  ['/workspaces', 'workspaces', 'Workspaces'],
] as const;
const below = [
  ['/settings', 'settings', 'Settings'],
  ['/admin', 'admin', 'Admin'],
] as const;

interface RailProps {
  readonly openPalette: () => void;
}

/** The way to every page. */
export function Rail({ openPalette }: RailProps) {
  return (
    <header data-pane="" tabIndex={-1}>
      <Link to="/" className="brand">
        Berth
      </Link>
      <button type="button" className="search" aria-keyshortcuts="Control+K Meta+K" onClick={openPalette}>
        <Icon name="search" />
        <span>Search</span> <kbd>Ctrl K</kbd>
      </button>
      <nav aria-label="Work" className="places">
        {places.map((place) => (
          <Place key={place[0]} place={place} />
        ))}
      </nav>
      <nav aria-label="Management" className="management">
        {below.map((place) => (
          <Place key={place[0]} place={place} />
        ))}
        <a href="/docs" className="docs">
          API
        </a>
      </nav>
      <Account />
    </header>
  );
}

type PlaceRow = (typeof places)[number] | (typeof below)[number];

const Place = ({ place: [to, icon, name] }: { readonly place: PlaceRow }) => (
  <Link to={to} activeOptions={{ exact: to === '/' }}>
    <Icon name={icon} />
    <span>{name}</span>
    {to === '/inbox' && <InboxCount />}
  </Link>
);

function Account() {
  const services = useServices();
  const { data: session } = useSession();
  const signingOut = useMutation({ mutationFn: () => signOut(services) });
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
