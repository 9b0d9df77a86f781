import { Api } from './api.js';
import { messageOf } from './api-error.js';
import { h, replace } from './dom.js';
import { LiveSocket } from './live.js';
import { Session } from './records.js';
import { arrivalNotice, pageOf } from './routes.js';
import type { Surroundings, View } from './view.js';
import { newWorkspaceView } from './views/new-workspace.js';
import { nodesView } from './views/nodes.js';
import { openPortView } from './views/open-port.js';
import { signInView } from './views/sign-in.js';
import { WorkspaceView } from './views/workspace.js';
import { workspacesView } from './views/workspaces.js';

const places = [
  ['/', 'Workspaces'],
  ['/nodes', 'Nodes'],
] as const;
const anything = { safeParse: (data: unknown) => ({ success: true as const, data }) };

/** The console: who is signed in, the frame of every page, and which page is shown. */
export class Console {
  private readonly surroundings: Surroundings = {
    api: new Api(() => this.signedOut()),
    live: new LiveSocket(() => new WebSocket(`${location.origin.replace(/^http/, 'ws')}/live`)),
    goTo: (path, notice) => {
      history.pushState(null, '', path);
      this.showPage(notice);
    },
  };
  private readonly main = h('main', { id: 'main', tabindex: -1 });
  private readonly notice = h('div', { role: 'status' });
  private session: Session = null;
  private view: View | undefined;

  constructor(private readonly root: Element) {}

  async start(): Promise<void> {
    addEventListener('popstate', () => this.showPage());
    document.addEventListener('click', (event) => this.followLink(event));
    try {
      this.session = await this.surroundings.api.call('/api/auth/session', { reads: Session });
    } catch (error) {
      return this.unavailable(error);
    }
    this.showFrame();
    this.showPage(arrivalNotice(location.search));
  }

  private unavailable(error: unknown): void {
    const again = () => {
      location.reload();
    };
    replace(
      this.root,
      h(
        'main',
        { id: 'main' },
        h('p', { class: 'notice bad', role: 'alert' }, messageOf(error)),
        h('button', { type: 'button', click: again }, 'Try again'),
      ),
    );
  }

  private showFrame(): void {
    const { session } = this;
    const header = h(
      'header',
      {},
      h('a', { href: '/', class: 'brand' }, 'Berth'),
      session &&
        h('nav', { 'aria-label': 'Pages' }, ...places.map(([path, name]) => h('a', { href: path }, name))),
      h('a', { href: '/docs' }, 'API'),
      h('span', { class: 'grow' }),
      session && h('span', { class: 'quiet' }, session.user.login),
      session && h('button', { type: 'button', class: 'small', click: () => this.signOut() }, 'Sign out'),
    );
    replace(this.root, header, this.main);
  }

  private showPage(notice?: string): void {
    this.view?.[Symbol.dispose]();
    const isMove = this.view !== undefined;
    this.view = this.session ? this.choosePage() : this.signInPage();
    document.title = `${this.view.title} · Berth`;
    replace(this.notice, notice !== undefined && h('p', { class: 'notice' }, notice));
    replace(this.main, this.notice, this.view.element);
    for (const link of this.root.querySelectorAll('nav a'))
      if (link.getAttribute('href') === location.pathname) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    // As after a page that was loaded: reading begins at its top.
    if (isMove) this.main.focus();
  }

  private choosePage(): View {
    const page = pageOf(location.pathname);
    switch (page.kind) {
      case 'workspaces':
        return workspacesView(this.surroundings);
      case 'workspace':
        return new WorkspaceView(this.surroundings, page.workspaceId);
      case 'port':
        return openPortView(this.surroundings, page, new URLSearchParams(location.search).get('path') ?? '/');
      case 'new':
        return newWorkspaceView(this.surroundings);
      case 'nodes':
        return nodesView(this.surroundings);
      default:
        return missing();
    }
  }

  private signInPage(): View {
    return signInView(
      this.surroundings,
      returnPath(location),
      new URLSearchParams(location.search).get('error'),
    );
  }

  private signedOut(): void {
    if (!this.session) return;
    this.session = null;
    this.surroundings.live[Symbol.dispose]();
    this.showFrame();
    this.showPage('You have been signed out.');
  }

  private signOut(): void {
    this.surroundings.api
      .call('/api/auth/sign-out', { method: 'POST', reads: anything })
      .then(() => {
        this.signedOut();
        history.replaceState(null, '', '/');
      })
      .catch((error: unknown) => replace(this.notice, h('p', { class: 'notice bad' }, messageOf(error))));
  }

  /**
   * Links between pages need no load. What is not a page of ours, or is wanted elsewhere, is the
   * browser's.
   */
  private followLink(event: MouseEvent): void {
    const isPlain =
      event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!isPlain || !link || link.target || link.origin !== location.origin || link.hash) return;
    if (pageOf(link.pathname).kind === 'missing') return;
    event.preventDefault();
    this.surroundings.goTo(link.pathname);
  }
}

/** The path at the service is part of the address. The sign-in accepts at most 512 characters. */
function returnPath({ pathname, search }: Location): string {
  const withSearch = pathname + search;
  return pageOf(pathname).kind === 'port' && withSearch.length <= 512 ? withSearch : pathname;
}

const missing = (): View => ({
  title: 'Not found',
  element: h(
    'section',
    { class: 'card' },
    h('h1', {}, 'Page not found'),
    h('a', { href: '/' }, 'Workspaces'),
  ),
  [Symbol.dispose]: () => {},
});
