import type { Table } from '../../shared/table.js';
import { changeWorkspace } from './change-workspace.js';
import { markUnsettled } from './claim-stop.js';
import { releasePlace } from './release-place.js';
import type { Workspace } from './workspace.js';

/** The machine under a workspace is gone: the person is told, and its place is given back. Repeatable. */
export async function loseWorkspace(table: Table, workspace: Workspace, now: Date): Promise<void> {
  const { workspaceId, generation } = workspace;
  // The sweep takes its name out of DNS.
  await markUnsettled(table, workspaceId, now);
  await changeWorkspace(table, {
    workspaceId,
    move: 'lose',
    to: 'errored',
    set: { errorMessage: 'The node was lost: its instance has ended. Create the workspace again.' },
    remove: ['taskToken', 'waitingStep'],
    when: { equals: { generation } },
    now,
  });
  await releasePlace(table, workspace, { heard: true, now });
}
