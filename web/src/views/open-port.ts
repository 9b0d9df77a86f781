import type { Api } from '../api.js';
import { ApiError, messageOf } from '../api-error.js';
import { h, replace } from '../dom.js';
import { PortIntent } from '../port-intent.js';
import { PreviewVisit, previewAddress } from '../preview-address.js';
import { PreviewToken } from '../records.js';
import type { View } from '../view.js';

interface Service {
  readonly workspaceId: string;
  readonly port: number;
}

const cameBack =
  'The service sent the browser back without a sign-in. Allow cookies of the service, then open the port again.';

const pendingTexts: Readonly<Record<string, string>> = {
  WAKING: 'The workspace is waking. The page opens when it runs.',
  NAMING: 'The name of the host is new. The page opens within a minute.',
};

const question =
  'Open this port only if you expected this page. A sleeping workspace wakes, and a page of the workspace is shown.';

/**
 * Opens a service of a workspace. A port that the person has not chosen in the console opens by a
 * click only, because any site can link to this page: it would wake the workspace.
 */
export class OpenPortView implements View {
  readonly title: string;
  readonly element: HTMLElement;
  private readonly state = h('p', { role: 'status' });
  private readonly problem = h('div', { role: 'alert' });
  private readonly button: HTMLButtonElement;
  private readonly visit: PreviewVisit;
  private readonly reading = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly api: Api,
    private readonly service: Service,
    /** At the service's own host. */
    private readonly path: string,
  ) {
    const { workspaceId, port } = service;
    this.title = `Port ${port}`;
    this.visit = new PreviewVisit(sessionStorage, `${workspaceId}:${port}`);
    this.button = h('button', { type: 'button', click: () => this.begin() }, `Open port ${port}`);
    this.element = h(
      'section',
      { class: 'card narrow' },
      h('a', { href: `/workspaces/${workspaceId}` }, '← Workspace'),
      h('h1', {}, this.title),
      ...[this.state, this.button, this.problem],
    );
    const isChosen = new PortIntent(localStorage, `${workspaceId}:${port}`).take(Date.now());
    if (this.visit.isTooSoon(Date.now())) this.ask('', cameBack);
    else if (isChosen) this.begin();
    else this.ask(question);
  }

  [Symbol.dispose](): void {
    this.reading.abort();
    clearTimeout(this.timer);
  }

  private ask(text: string, trouble?: string): void {
    this.state.textContent = text;
    this.button.hidden = false;
    replace(this.problem, trouble !== undefined && h('p', { class: 'notice bad' }, trouble));
  }

  private begin(): void {
    this.state.textContent = 'Opening…';
    this.button.hidden = true;
    replace(this.problem);
    this.open().catch((error: unknown) => this.failed(error));
  }

  private async open(): Promise<void> {
    const { token, url } = await this.api.call('/api/terminal/preview-token', {
      ...{ method: 'POST', body: this.service, signal: this.reading.signal },
      reads: PreviewToken,
    });
    this.visit.begin(Date.now());
    location.replace(previewAddress(url, this.path, token));
  }

  private failed(error: unknown): void {
    if (this.reading.signal.aborted) return;
    const pending = error instanceof ApiError ? pendingTexts[error.code] : undefined;
    if (!(error instanceof ApiError) || pending === undefined) {
      this.ask('', messageOf(error));
      return;
    }
    this.state.textContent = pending;
    const again = () => this.open().catch((next: unknown) => this.failed(next));
    this.timer = setTimeout(again, (error.retryAfterSeconds ?? 2) * 1_000);
  }
}
