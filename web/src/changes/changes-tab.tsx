import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { TabProps } from '../tasks/task-panel.js';
import { workspaceOfChat } from '../tasks/task-state.js';
import { Failure } from '../ui/failure.js';
import { WorkspaceGate } from '../workspaces/workspace-gate.js';
import { ChangeTree } from './change-tree.js';
import type { Change } from './changes.js';
import { SendReview } from './comments.js';
import type { Layout } from './diff-table.js';
import { FileChange } from './file-change.js';
import { useReview, useViewed } from './review.js';
import { reviewKey } from './review-keys.js';
import { type ChangeList, type ChangesView, useChanges } from './use-changes.js';

/** What the agent changed, for review. */
export function ChangesTab({ task }: TabProps) {
  return (
    <WorkspaceGate workspaceId={workspaceOfChat(task)}>
      {({ id }) => <Review task={task} workspaceId={id} />}
    </WorkspaceGate>
  );
}

interface ReviewProps extends TabProps {
  readonly workspaceId: string;
}

function Review({ task, workspaceId }: ReviewProps) {
  const queries = useQueryClient();
  const [view, setView] = useState<ChangesView>('branch');
  const [layout, setLayout] = useState<Layout>('unified');
  const { status, list, unpushed, base } = useChanges(task, workspaceId, view);
  const refresh = () => void queries.invalidateQueries({ queryKey: ['git-status', task.id] });
  const failed = status.error ?? list.error;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of what is inside
    <div className="changes" onKeyDown={reviewKey}>
      <div className="bar">
        <span className="buttons">
          <label>
            <span className="visually-hidden">Show</span>
            <select value={view} onChange={({ target }) => setView(target.value as ChangesView)}>
              <option value="branch">Branch against {base ?? 'its base'}</option>
              <option value="uncommitted">Not committed</option>
            </select>
          </label>
          <label>
            <span className="visually-hidden">Layout</span>
            <select value={layout} onChange={({ target }) => setLayout(target.value as Layout)}>
              <option value="unified">Unified</option>
              <option value="split">Side by side</option>
            </select>
          </label>
        </span>
        <button type="button" className="small" onClick={refresh}>
          Refresh
        </button>
      </div>
      {unpushed.length > 0 && (
        <p className="notice warn">{unpushed.join(' ')} They are lost when the workspace is deleted.</p>
      )}
      {failed && <Failure error={failed} retry={refresh} />}
      {!failed && !list.data && <p className="loading">Loading …</p>}
      {list.data && <Files key={view} list={list.data} task={task} layout={layout} />}
    </div>
  );
}

interface FilesProps extends TabProps {
  readonly list: ChangeList;
  readonly layout: Layout;
}

function Files({ list: { changes, isCut }, task, layout }: FilesProps) {
  const review = useReview(task.id);
  const viewed = useViewed(task.id);
  if (changes.length === 0) return <p className="quiet">Nothing changed.</p>;
  const open = openAtFirst(changes);
  return (
    <>
      <p className="hint">
        {summaryOf(changes)} Keys: j and k go to the next and previous changed line, with Shift to the next
        file; c comments.
      </p>
      {isCut && <p className="notice">The diff is longer than 1 MiB. Files beyond that are not listed.</p>}
      <div className="change-list">
        <ChangeTree changes={changes} />
        <ul className="plain">
          {changes.map((change) => (
            <FileChange
              key={change.key}
              {...{ change, task, layout, review, viewed }}
              isOpenAtFirst={open.has(change.key)}
            />
          ))}
        </ul>
      </div>
      <SendReview review={review} task={task} />
    </>
  );
}

function summaryOf(changes: readonly Change[]): string {
  const sum = (side: 'added' | 'removed') =>
    changes.reduce((all, { section }) => all + (section?.[side] ?? 0), 0);
  return `${changes.length === 1 ? '1 file' : `${changes.length} files`}, +${sum('added')} −${sum('removed')}.`;
}

const [mostOfFile, mostOfAll] = [400, 1_500];

/** Small files, as long as the page stays small. */
function openAtFirst(changes: readonly Change[]): ReadonlySet<string> {
  let shown = 0;
  const open = new Set<string>();
  for (const { key, section } of changes) {
    const size = section ? section.added + section.removed : Number.POSITIVE_INFINITY;
    if (size > mostOfFile || shown + size > mostOfAll) continue;
    shown += size;
    open.add(key);
  }
  return open;
}
