import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { AnswerOf } from '../../../client/berth-client.js';
import { useServices } from '../app/services.js';
import { useTitle } from '../app/title.js';
import { useTopic } from '../live/use-topic.js';
import { ago } from '../times.js';
import { Loaded } from '../ui/loaded.js';
import { ShowMore } from '../ui/show-more.js';
import { StatusBadge } from '../ui/status-badge.js';
import { usePages } from '../ui/use-pages.js';

type Workspace = AnswerOf<'GET /api/workspaces'>['workspaces'][number];
const key = ['workspaces'] as const;

const settled = new Set<Workspace['status']>(['stopped', 'errored', 'evicted', 'deleted']);
/** One connection follows that many at most: those at the top, which are the newest. */
const followed = 20;
/** For the others, and for workspaces that are made elsewhere. */
const refreshEveryMs = 10_000;

/** Everything that one has, newest first. */
export function WorkspacesPage() {
  useTitle('Workspaces');
  return (
    <>
      <div className="heading">
        <h1>Workspaces</h1>
        <Link to="/new" className="button primary">
          New workspace
        </Link>
      </div>
      <WorkspaceList />
    </>
  );
}

function WorkspaceList() {
  const { client } = useServices();
  const workspaces = usePages(
    key,
    (query, signal) => client.call('GET /api/workspaces', { query, signal }),
    refreshEveryMs,
  );
  return (
    <Loaded query={workspaces}>
      {({ pages }) => {
        const all = pages.flatMap((page) => page.workspaces);
        if (all.length === 0) return <Empty />;
        return (
          <>
            <Rows workspaces={all} />
            <ShowMore pages={workspaces} />
          </>
        );
      }}
    </Loaded>
  );
}

function Rows({ workspaces }: { readonly workspaces: readonly Workspace[] }) {
  const live = new Set(workspaces.filter(({ status }) => !settled.has(status)).slice(0, followed));
  return (
    <ul className="plain">
      {workspaces.map((one) => (
        <WorkspaceRow key={one.id} workspace={one} isFollowed={live.has(one)} />
      ))}
    </ul>
  );
}

const Empty = () => (
  <div className="card">
    <p>No workspaces yet.</p>
    <p>
      <Link to="/new">Create a workspace</Link> from one of your repositories.
    </p>
  </div>
);

interface RowProps {
  readonly workspace: Workspace;
  readonly isFollowed: boolean;
}

function WorkspaceRow({ workspace, isFollowed }: RowProps) {
  const queries = useQueryClient();
  const { id: workspaceId, displayName, status, repository, branch, createdAt } = workspace;
  const reason = workspace.errorMessage ?? workspace.endedBecause?.text;
  useTopic(isFollowed ? `workspace:${workspaceId}` : undefined, (message) => {
    // Without a message it only began to follow: the list was just read. No row shows the boot log.
    if (message && message.type !== 'workspace.boot_log') void queries.invalidateQueries({ queryKey: key });
  });
  return (
    <li className="card row">
      <Link to="/workspaces/$workspaceId" params={{ workspaceId }} className="strong">
        {displayName}
      </Link>
      <StatusBadge status={status} />
      <span className="quiet">{[repository ?? 'no repository', branch].filter(Boolean).join(' @ ')}</span>
      <span className="quiet">created {ago(createdAt)}</span>
      {reason && <span className="quiet small-text">{reason}</span>}
    </li>
  );
}
