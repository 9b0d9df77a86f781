import { messageOf } from '../api-error.js';
import { confirmDialog } from '../confirm-dialog.js';
import { h, replace } from '../dom.js';
import { type NodeRecord, Nodes } from '../records.js';
import { statusBadge } from '../status-badge.js';
import { ago } from '../times.js';
import type { Surroundings, View } from '../view.js';
import { load } from './load.js';

const refreshEveryMs = 10_000;
const anything = { safeParse: (data: unknown) => ({ success: true as const, data }) };

/** The machines that one's workspaces run on. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one page, its elements in their order on it
export function nodesView({ api }: Surroundings): View {
  const place = h('div', { class: 'list' });
  const problem = h('div', { role: 'alert' });
  const fetchNodes = () => api.call('/api/nodes?limit=100', { reads: Nodes });

  function show({ nodes }: { readonly nodes: readonly NodeRecord[] }): void {
    if (nodes.length > 0) replace(place, h('ul', { class: 'plain' }, ...nodes.map(card)));
    else
      replace(
        place,
        h(
          'p',
          { class: 'card' },
          'No nodes yet. Your first workspace starts a node, which incurs cost while it runs.',
        ),
      );
  }
  function refresh(): void {
    fetchNodes()
      .then(show)
      .catch((error: unknown) => complain(error));
  }
  function complain(error: unknown): void {
    replace(problem, h('p', { class: 'notice bad' }, messageOf(error)));
  }

  async function remove(node: NodeRecord): Promise<void> {
    const isSure = await confirmDialog({
      title: `Delete ${node.name}?`,
      text: 'The machine of the node is terminated. Stop or delete its workspaces first.',
      action: 'Delete',
    });
    if (!isSure) return;
    replace(problem);
    await api.call(`/api/nodes/${node.id}`, { method: 'DELETE', reads: anything });
    refresh();
  }

  const card = (node: NodeRecord): HTMLElement =>
    h(
      'li',
      { class: 'card row' },
      h('span', { class: 'strong' }, node.name),
      statusBadge(node.status),
      node.status === 'running' && statusBadge(node.healthStatus),
      h('span', { class: 'quiet' }, `${node.activeWorkspaces} of ${node.capacity} places taken`),
      h(
        'span',
        { class: 'quiet' },
        node.nodeRole === 'standalone' ? 'without containers' : 'with containers',
      ),
      node.lastHeartbeatAt !== null &&
        h('span', { class: 'quiet' }, `last heartbeat ${ago(node.lastHeartbeatAt)}`),
      node.errorMessage !== null && h('p', { class: 'notice bad' }, node.errorMessage),
      node.status !== 'deleted' &&
        h(
          'button',
          {
            type: 'button',
            class: 'danger small',
            'aria-label': `Delete ${node.name}`,
            click: () => {
              remove(node).catch(complain);
            },
          },
          'Delete',
        ),
    );

  load(place, fetchNodes, show);
  // A list under a person's hands stays as it is.
  const timer = setInterval(() => {
    if (!place.contains(document.activeElement)) refresh();
  }, refreshEveryMs);
  return {
    title: 'Nodes',
    element: h('section', {}, h('h1', {}, 'Nodes'), problem, place),
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
