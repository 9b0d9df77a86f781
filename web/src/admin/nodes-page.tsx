import { useServices } from '../app/services.js';
import { useTitle } from '../app/title.js';
import { ago } from '../times.js';
import { ConfirmButton } from '../ui/confirm-button.js';
import { Loaded } from '../ui/loaded.js';
import { StatusBadge } from '../ui/status-badge.js';
import { type Node, nodesKey, useNodes } from './use-nodes.js';

/** The machines that one's workspaces run on. */
export function NodesPage() {
  useTitle('Nodes');
  return (
    <section aria-labelledby="nodes">
      <h2 id="nodes">Your nodes</h2>
      <Loaded query={useNodes()}>
        {(nodes) => (
          <>
            {nodes.length === 0 && (
              <p className="card">
                No nodes yet. Your first workspace starts a node, which incurs cost while it runs.
              </p>
            )}
            <ul className="plain">
              {nodes.map((node) => (
                <NodeCard key={node.id} node={node} />
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </section>
  );
}

function NodeCard({ node }: { readonly node: Node }) {
  const { name, status, healthStatus, nodeRole, lastHeartbeatAt, errorMessage } = node;
  return (
    <li className="card">
      <div className="row">
        <span className="strong">{name}</span>
        <StatusBadge status={status} />
        {status === 'running' && <StatusBadge status={healthStatus} />}
        <span className="quiet">
          {node.activeWorkspaces} of {node.capacity} places taken
        </span>
        <span className="quiet">{nodeRole === 'standalone' ? 'without containers' : 'with containers'}</span>
        {lastHeartbeatAt && <span className="quiet">last heartbeat {ago(lastHeartbeatAt)}</span>}
        <NodeActions node={node} />
      </div>
      <Load node={node} />
      {errorMessage && <p className="notice bad">{errorMessage}</p>}
    </li>
  );
}

function Load({ node: { lastMetrics, agentVersion } }: { readonly node: Node }) {
  const texts = [
    lastMetrics && `load ${lastMetrics.cpuLoadAvg1.toFixed(1)}`,
    lastMetrics && `memory ${Math.round(lastMetrics.memoryPercent)} %`,
    lastMetrics && `disk ${Math.round(lastMetrics.diskPercent)} %`,
    agentVersion && `agent ${agentVersion}`,
  ].filter(Boolean);
  return texts.length > 0 && <p className="hint">{texts.join(' · ')}</p>;
}

function NodeActions({ node: { id: nodeId, name, status } }: { readonly node: Node }) {
  const { client, queries } = useServices();
  const params = { nodeId };
  const readAgain = () => queries.invalidateQueries({ queryKey: nodesKey });
  return (
    <span className="buttons end">
      {status === 'running' && (
        <ConfirmButton
          label="Stop"
          about={name}
          title={`Stop ${name}?`}
          run={() => client.call('POST /api/nodes/{nodeId}/stop', { params }).then(readAgain)}
        >
          The machine of the node is terminated, with everything on its disk, and cannot be started again.
          Stop its workspaces first.
        </ConfirmButton>
      )}
      <ConfirmButton
        label="Delete"
        about={name}
        title={`Delete ${name}?`}
        run={() => client.call('DELETE /api/nodes/{nodeId}', { params }).then(readAgain)}
      >
        The machine of the node is terminated. Stop or delete its workspaces first.
      </ConfirmButton>
    </span>
  );
}
