import type { Measurement } from './measurement.js';
import { expectOk, soon } from './soon.js';
import { BenchCloud } from './tasks/bench-cloud.js';

const size = 30;

/**
 * One person creates thirty workspaces at once, as many as their ten nodes hold. The nodes are the
 * processes of the laptop.
 */
export async function measureBursts(): Promise<readonly Measurement[]> {
  await using bench = await BenchCloud.start();
  const { person, projectId } = bench;
  const begun = Date.now();
  const accepted = await Promise.all(
    Array.from({ length: size }, async (_, index) => {
      const asked = { displayName: `burst ${index}`, projectId };
      const { id } = await expectOk(person.post('/api/workspaces', asked));
      return { workspaceId: String(id), afterMs: Date.now() - begun };
    }),
  );
  const rows = () =>
    Promise.all(accepted.map(({ workspaceId }) => expectOk(person.get(`/api/workspaces/${workspaceId}`))));
  const ended = await soon(
    'all of them run',
    async () => {
      const all = await rows();
      return all.every(({ status }) => status === 'running' || status === 'errored') ? all : undefined;
    },
    500,
  );
  const runAfterMs = Date.now() - begun;
  const unit = 'nodes';
  return [
    {
      name: `${size} workspaces created at once by one person, until the last is accepted`,
      value: Math.max(...accepted.map(({ afterMs }) => afterMs)),
      unit: 'ms',
      limit: 5_000,
    },
    { name: '— until the last runs', value: runAfterMs, unit: 'ms' },
    {
      name: '— that are errored',
      value: ended.filter(({ status }) => status === 'errored').length,
      unit: 'workspaces',
      limit: 0,
    },
    { name: '— their nodes', value: new Set(ended.map(({ nodeId }) => nodeId)).size, unit, limit: 11 },
  ];
}
