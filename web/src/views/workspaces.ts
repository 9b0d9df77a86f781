import { messageOf } from '../api-error.js';
import { h, replace } from '../dom.js';
import { type Workspace, Workspaces } from '../records.js';
import { statusBadge } from '../status-badge.js';
import { ago } from '../times.js';
import type { Surroundings, View } from '../view.js';
import { load } from './load.js';

const settled = new Set(['stopped', 'errored', 'evicted', 'deleted']);
/** One connection follows that many at most: those at the top, which are the newest. */
const followed = 20;

/** Everything that one has, newest first. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one page, its elements in their order on it
export function workspacesView({ api, live }: Surroundings): View {
  const place = h('div', { class: 'list' });
  const endings: (() => void)[] = [];
  const fetchPage = (cursor?: string) =>
    api.call(`/api/workspaces?limit=50${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`, {
      reads: Workspaces,
    });

  function row(workspace: Workspace): HTMLElement {
    const badge = h('span', {}, statusBadge(workspace.status));
    if (!settled.has(workspace.status) && endings.length < followed)
      endings.push(
        live.subscribe(`workspace:${workspace.id}`, {
          subscribed: () => {},
          message: (message) => {
            if (message.type === 'workspace.status') replace(badge, statusBadge(message.data.status));
          },
        }),
      );
    const source = [workspace.repository ?? 'no repository', workspace.branch].filter(Boolean).join(' @ ');
    return h(
      'li',
      { class: 'card row' },
      h('a', { href: `/workspaces/${workspace.id}`, class: 'strong' }, workspace.displayName),
      badge,
      h('span', { class: 'quiet' }, source),
      h('span', { class: 'quiet' }, `created ${ago(workspace.createdAt)}`),
    );
  }

  function more(list: HTMLElement, cursor: string): HTMLElement {
    const button = h('button', { type: 'button', click: next }, 'Show more');
    function next(): void {
      button.disabled = true;
      fetchPage(cursor)
        .then((page) => {
          list.append(...page.workspaces.map(row));
          if (page.nextCursor) button.replaceWith(more(list, page.nextCursor));
          else button.remove();
        })
        .catch((error: unknown) => {
          button.disabled = false;
          button.textContent = `${messageOf(error)} Try again`;
        });
    }
    return button;
  }

  load(
    place,
    () => fetchPage(),
    ({ workspaces, nextCursor }) => {
      if (workspaces.length === 0) return replace(place, empty());
      const list = h('ul', { class: 'plain' }, ...workspaces.map(row));
      replace(place, list, nextCursor ? more(list, nextCursor) : null);
    },
  );
  return {
    title: 'Workspaces',
    element: h(
      'section',
      {},
      h(
        'div',
        { class: 'heading' },
        h('h1', {}, 'Workspaces'),
        h('a', { href: '/new', class: 'button primary' }, 'New workspace'),
      ),
      place,
    ),
    [Symbol.dispose]: () => {
      for (const end of endings) end();
    },
  };
}

const empty = (): HTMLElement =>
  h(
    'div',
    { class: 'card' },
    h('p', {}, 'No workspaces yet.'),
    h('p', {}, h('a', { href: '/new' }, 'Create a workspace'), ' from one of your repositories.'),
  );
