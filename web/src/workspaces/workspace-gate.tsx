import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { isRefusal, messageOf } from '../api-error.js';
import { useServices } from '../app/services.js';
import { Loaded } from '../ui/loaded.js';
import { reachable, restartable } from '../workspace-statuses.js';
import { useWorkspace, type WholeWorkspace } from './use-workspace.js';

interface WorkspaceGateProps {
  /** Null before there is one, and after its end. */
  readonly workspaceId: string | null;
  /** Shown while the workspace runs. */
  readonly children: (workspace: WholeWorkspace) => ReactNode;
  /** Shown while it does not run. */
  readonly away?: ReactNode;
}

/** Shows what needs a running workspace, or why there is none. Nothing here wakes a workspace. */
export function WorkspaceGate({ workspaceId, ...shown }: WorkspaceGateProps) {
  return workspaceId === null ? (
    <p className="quiet">There is no workspace with an agent yet. The log shows each step.</p>
  ) : (
    <Gate workspaceId={workspaceId} {...shown} />
  );
}

function Gate({ workspaceId, children, away }: WorkspaceGateProps & { readonly workspaceId: string }) {
  const workspace = useWorkspace(workspaceId);
  if (isRefusal(workspace.error))
    return (
      <>
        <p className="notice">
          Only the person who owns the workspace can see this. If it was yours, it has been deleted.
        </p>
        {away}
      </>
    );
  return (
    <Loaded query={workspace}>
      {(read) =>
        reachable.has(read.status) ? (
          children(read)
        ) : (
          <>
            <NotRunning workspace={read} />
            {away}
          </>
        )
      }
    </Loaded>
  );
}

const sentences: Partial<Readonly<Record<WholeWorkspace['status'], string>>> = {
  pending: 'The workspace waits for a slot on a node.',
  provisioning: 'The workspace starts. The log shows each step.',
  rebuilding: 'The workspace is rebuilt. The log shows each step.',
  sleeping: 'The workspace sleeps. Its files are kept.',
  stopping: 'The workspace is being stopped.',
  stopped: 'The workspace is stopped.',
  evicted: 'The workspace was evicted from its node. Its files are kept.',
  errored: 'The workspace failed.',
  deleted: 'The workspace is deleted.',
};

function NotRunning({ workspace }: { readonly workspace: WholeWorkspace }) {
  const { client } = useServices();
  const { id: workspaceId, status, errorMessage, endedBecause } = workspace;
  const starting = useMutation({
    mutationFn: () => client.call('POST /api/workspaces/{workspaceId}/restart', { params: { workspaceId } }),
  });
  return (
    <div className="notice" role="status">
      <p>
        {sentences[status]} {errorMessage ?? endedBecause?.text}
      </p>
      {restartable.has(status) && (
        <button type="button" disabled={starting.isPending} onClick={() => starting.mutate()}>
          {status === 'sleeping' ? 'Wake the workspace' : 'Restart the workspace'}
        </button>
      )}
      {starting.isError && <p className="bad-text">{messageOf(starting.error)}</p>}
    </div>
  );
}
