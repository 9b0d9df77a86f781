import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { useServices } from '../app/services.js';
import type { WholeTask } from '../tasks/use-task.js';
import { Loaded } from '../ui/loaded.js';
import type { Change } from './changes.js';
import { CommentForm, Comments } from './comments.js';
import { DiffTable, type Layout, type LinePlace } from './diff-table.js';
import { canBeAskedFor, shownPath } from './git-path.js';
import { markOf, type Review, type Viewed } from './review.js';
import { sectionsOf } from './unified-diff.js';

export interface FileChangeProps {
  readonly change: Change;
  readonly task: WholeTask;
  readonly layout: Layout;
  readonly review: Review;
  readonly viewed: Viewed;
  /** A file of many lines stays closed until it is opened. */
  readonly isOpenAtFirst: boolean;
}

const words: Readonly<Record<Change['kind'], string>> = {
  ...{ added: 'new', deleted: 'deleted', renamed: 'renamed', modified: 'changed', untracked: 'untracked' },
};

/** One file that changed: its name, then its lines when it is open. */
export function FileChange(props: FileChangeProps) {
  const { change, viewed, isOpenAtFirst } = props;
  const mark = useMemo(() => markOf(change.key, change.section?.body ?? ''), [change]);
  const isViewed = viewed.has(mark);
  const [isOpen, setOpen] = useState(isOpenAtFirst && !isViewed);
  const name = shownPath(change.path);
  return (
    <li className="file-change" id={idOf(change.key)}>
      <div className="row file-head">
        <button
          type="button"
          className="file-name"
          data-stop="file"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {change.oldPath !== null && `${shownPath(change.oldPath)} → `}
          {name}
        </button>
        <Size change={change} />
        <label className="small-text">
          <input
            type="checkbox"
            checked={isViewed}
            onChange={() => {
              viewed.toggle(mark);
              setOpen(isViewed);
            }}
          />{' '}
          Viewed<span className="visually-hidden"> {name}</span>
        </label>
      </div>
      {isOpen && <Lines {...props} />}
    </li>
  );
}

export const idOf = (key: string): string => `change-${encodeURIComponent(key)}`;

function Size({ change: { kind, isStaged, section } }: { readonly change: Change }) {
  return (
    <span className="small-text quiet">
      {words[kind]}
      {isStaged && ', staged'}
      {section && !section.isBinary && (
        <>
          {' '}
          <span className="added">+{section.added}</span> <span className="removed">−{section.removed}</span>
        </>
      )}
    </span>
  );
}

function Lines(props: FileChangeProps) {
  const { change, review } = props;
  const [place, setPlace] = useState<LinePlace>();
  const comment = useCallback((next: LinePlace) => setPlace(next), []);
  return (
    <>
      {change.section ? (
        <Body body={change.section.body} isBinary={change.section.isBinary} comment={comment} {...props} />
      ) : (
        <LaterBody comment={comment} {...props} />
      )}
      {place && (
        <CommentForm
          key={`${place.isOld} ${place.line}`}
          place={place}
          add={(text) => review.add({ path: change.path, ...place, text })}
          close={() => setPlace(undefined)}
        />
      )}
      <Comments path={change.path} review={review} />
    </>
  );
}

interface BodyProps extends FileChangeProps {
  readonly comment: (place: LinePlace) => void;
}

function Body({ body, isBinary, layout, change, comment }: BodyProps & { body: string; isBinary: boolean }) {
  if (isBinary) return <p className="quiet">Not a text file.</p>;
  if (body === '') return <p className="quiet">No line changed.</p>;
  return <DiffTable body={body} layout={layout} name={shownPath(change.path)} comment={comment} />;
}

/** Read when it is shown. */
function LaterBody(props: BodyProps) {
  const { change, task } = props;
  const { client } = useServices();
  const canBeRead = canBeAskedFor(change.path);
  const diff = useQuery({
    queryKey: ['file-diff', task.id, change.key, task.version],
    queryFn: ({ signal }) =>
      client.call('GET /api/projects/{projectId}/sessions/{sessionId}/git/diff', {
        params: { projectId: task.projectId, sessionId: task.id },
        query: { path: change.path, staged: change.isStaged ? 'true' : 'false' },
        signal,
      }),
    enabled: canBeRead,
  });
  if (!canBeRead) return <p className="quiet">The API reads no file with such a name.</p>;
  return (
    <Loaded query={diff}>
      {({ diff: text, truncated }) => {
        const [section] = sectionsOf(text);
        return (
          <>
            <Body {...props} body={section?.body ?? ''} isBinary={section?.isBinary ?? false} />
            {truncated && <p className="notice">The diff ends here: it is longer than 1 MiB.</p>}
          </>
        );
      }}
    </Loaded>
  );
}
