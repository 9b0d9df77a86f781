import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { TabProps } from '../tasks/task-panel.js';
import { workspaceOfChat } from '../tasks/task-state.js';
import { Failure } from '../ui/failure.js';
import { WorkspaceGate } from '../workspaces/workspace-gate.js';
import { Files, LayoutChoice } from './change-files.js';
import type { Layout } from './diff-table.js';
import { KeptReview } from './kept-review.js';
import { reviewKey } from './review-keys.js';
import { type ChangesView, useChanges } from './use-changes.js';

/** What the agent changed, for review. */
export function ChangesTab({ task }: TabProps) {
  return (
    <WorkspaceGate workspaceId={workspaceOfChat(task)} away={<KeptReview task={task} />}>
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
          <LayoutChoice layout={layout} choose={setLayout} />
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
