import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AnswerOf } from '../../../client/berth-client.js';
import { useServices } from '../app/services.js';
import type { TabProps } from '../tasks/task-panel.js';
import { hasEnded } from '../tasks/task-state.js';
import { Loaded } from '../ui/loaded.js';
import { Files, LayoutChoice } from './change-files.js';
import { branchChanges } from './changes.js';
import type { Layout } from './diff-table.js';
import { shownPath } from './git-path.js';
import { reviewKey } from './review-keys.js';

/** The changes of a task at its end. */
export function KeptReview({ task }: TabProps) {
  return hasEnded(task.status) && task.finalizedAt !== null && <Kept task={task} />;
}

function Kept({ task }: TabProps) {
  const { client } = useServices();
  const [layout, setLayout] = useState<Layout>('unified');
  const { id: taskId, projectId, finalizedAt } = task;
  const kept = useQuery({
    queryKey: ['kept-changes', taskId, finalizedAt],
    queryFn: ({ signal }) =>
      client.call('GET /api/projects/{projectId}/tasks/{taskId}/changes', {
        params: { projectId, taskId },
        signal,
      }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Loaded query={kept}>
      {({ status, diff, base, keptAt }) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: keys of what is inside
        <div className="changes" onKeyDown={reviewKey}>
          <div className="bar">
            <p>
              The branch against {base} at the end of the task, {new Date(keptAt).toLocaleString()}.
            </p>
            <LayoutChoice layout={layout} choose={setLayout} />
          </div>
          <Lost status={status} diff={diff} />
          <Files
            list={{ changes: keptChanges({ status, diff }), isCut: diff.truncated }}
            task={task}
            layout={layout}
          />
        </div>
      )}
    </Loaded>
  );
}

type KeptDiff = Pick<AnswerOf<'GET /api/projects/{projectId}/tasks/{taskId}/changes'>, 'status' | 'diff'>;

/** The diff has the content of untracked files. */
const keptChanges = ({ status, diff }: KeptDiff) => branchChanges({ ...status, untracked: [] }, diff);

function Lost({ status, diff }: KeptDiff) {
  const kept = new Set(keptChanges({ status, diff }).map(({ path }) => path));
  const lost = status.untracked.filter(({ path }) => !kept.has(path));
  if (lost.length === 0) return null;
  return (
    <p className="quiet">
      The content of these files, which git does not track, is not kept:{' '}
      {lost.map(({ path }) => shownPath(path)).join(', ')}.
    </p>
  );
}
