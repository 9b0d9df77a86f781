import { lazy, Suspense } from 'react';
import { PreviewTab } from '../terminal/preview-tab.js';
import { TerminalTab } from '../terminal/terminal-tab.js';
import type { TaskTab } from './task-tabs.js';
import type { WholeTask } from './use-task.js';

export interface TabProps {
  readonly task: WholeTask;
}

/** The large ones are loaded when they are first shown, as is the emulator of a terminal. */
const panels = {
  changes: lazy(() => import('../changes/changes-tab.js').then((part) => ({ default: part.ChangesTab }))),
  files: lazy(() => import('../files/files-tab.js').then((part) => ({ default: part.FilesTab }))),
  terminal: TerminalTab,
  preview: PreviewTab,
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
