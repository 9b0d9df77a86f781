import { useQuery } from '@tanstack/react-query';
import { useServices } from '../app/services.js';
import { useTitle } from '../app/title.js';
import { Loaded } from '../ui/loaded.js';
import { StatusBadge } from '../ui/status-badge.js';
import { type Node, useNodes } from './use-nodes.js';

/** The state of the control plane, and the releases of the node agent that run. */
export function DeploymentPage() {
  useTitle('Deployment');
  const { client } = useServices();
  const health = useQuery({
    queryKey: ['health'],
    queryFn: () => client.call('GET /health'),
    refetchInterval: 30_000,
  });
  return (
    <>
      <section className="card" aria-labelledby="control-plane">
        <h2 id="control-plane">Control plane</h2>
        <Loaded query={health}>{({ status }) => <StatusBadge status={status} />}</Loaded>
      </section>
      <section className="card" aria-labelledby="releases">
        <h2 id="releases">Releases of the node agent on your nodes</h2>
        <Loaded query={useNodes()}>{(nodes) => <Releases nodes={nodes} />}</Loaded>
      </section>
    </>
  );
}

function Releases({ nodes }: { readonly nodes: readonly Node[] }) {
  const running = nodes.filter(({ status }) => status === 'running');
  const releases = new Set(running.map(releaseOf));
  if (releases.size === 0) return <p>No node runs.</p>;
  return (
    <dl className="facts">
      {[...releases].map((release) => (
        <div key={release} className="fact">
          <dt>
            <code>{release}</code>
          </dt>
          <dd>
            {running
              .filter((node) => releaseOf(node) === release)
              .map(({ name }) => name)
              .join(', ')}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const releaseOf = ({ agentVersion }: Node): string => agentVersion ?? 'not reported yet';
