import type { TabProps } from '../tasks/task-panel.js';
import { ChangeTree } from './change-tree.js';
import type { Change } from './changes.js';
import { SendReview } from './comments.js';
import type { Layout } from './diff-table.js';
import { FileChange } from './file-change.js';
import { useReview, useViewed } from './review.js';
import type { ChangeList } from './use-changes.js';

interface LayoutChoiceProps {
  readonly layout: Layout;
  readonly choose: (layout: Layout) => void;
}

export const LayoutChoice = ({ layout, choose }: LayoutChoiceProps) => (
  <label>
    <span className="visually-hidden">Layout</span>
    <select value={layout} onChange={({ target }) => choose(target.value as Layout)}>
      <option value="unified">Unified</option>
      <option value="split">Side by side</option>
    </select>
  </label>
);

interface FilesProps extends TabProps {
  readonly list: ChangeList;
  readonly layout: Layout;
}

export function Files({ list: { changes, isCut }, task, layout }: FilesProps) {
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
