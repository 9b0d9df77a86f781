import { lazy, Suspense } from 'react';
import type { TaskTab } from './task-tabs.js';
import type { WholeTask } from './use-task.js';

export interface TabProps {
  readonly task: WholeTask;
}

/** Each is loaded when it is first shown. */
const panels = {
  changes: lazy(() => import('../changes/changes-tab.js').then((part) => ({ default: part.ChangesTab }))),
  files: lazy(() => import('../files/files-tab.js').then((part) => ({ default: part.FilesTab }))),
  terminal: lazy(() => import('../terminal/terminal-tab.js').then((part) => ({ default: part.TerminalTab }))),
  preview: lazy(() => import('../terminal/preview-tab.js').then((part) => ({ default: part.PreviewTab }))),
  log: lazy(() => import('./log-tab.js').then((part) => ({ default: part.LogTab }))),
};

export function TaskPanel({ tab, task }: { readonly tab: TaskTab } & TabProps) {
  const Panel = panels[tab];
  return (
    <div
      className="panel"
      role="tabpanel"
      id={`panel-${tab}`}
      aria-labelledby={`tab-${tab}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls what has the focus
      tabIndex={0}
      data-pane
    >
      <Suspense fallback={<p className="loading">Loading …</p>}>
        <Panel task={task} />
      </Suspense>
    </div>
  );
}
