import type { TabProps } from '../tasks/task-panel.js';
import { TerminalPanel } from '../terminal-panel.js';
import { WorkspaceGate } from '../workspaces/workspace-gate.js';
import { HostedPanel } from './hosted-panel.js';

export function TerminalTab({ task }: TabProps) {
  return (
    <WorkspaceGate workspaceId={task.workspaceId}>
      {({ id }) => <HostedPanel make={TerminalPanel} workspaceId={id} />}
    </WorkspaceGate>
  );
}
