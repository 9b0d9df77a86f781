import { PortsPanel } from '../ports-panel.js';
import type { TabProps } from '../tasks/task-panel.js';
import { WorkspaceGate } from '../workspaces/workspace-gate.js';
import { HostedPanel } from './hosted-panel.js';

/** A service opens in a browser tab of its own: its pages are not trusted beside the console. */
export function PreviewTab({ task }: TabProps) {
  return (
    <WorkspaceGate workspaceId={task.workspaceId}>
      {({ id }) => <HostedPanel make={PortsPanel} workspaceId={id} />}
    </WorkspaceGate>
  );
}
