import type { Api } from './api.js';
import { ApiError, messageOf } from './api-error.js';
import { h, replace } from './dom.js';
import { callNode } from './node-call.js';
import { PortIntent } from './port-intent.js';
import { TerminalToken, WorkspacePorts } from './records.js';

const refreshEveryMs = 10_000;
/** A token request is limited per hour, and the terminal needs some too. */
const afterFailureMs = 60_000;

/** Where the console opens a service of a workspace. */
const pageOfPort = (workspaceId: string, port: number): string => `/workspaces/${workspaceId}/ports/${port}`;

/** The services of a running workspace as links, and a form for ports that the list lacks. */
export class PortsPanel implements Disposable {
  readonly element: HTMLElement;
  private readonly list = h('div', {}, h('p', { class: 'loading' }, 'Loading …'));
  private readonly input = h('input', {
    ...{ id: 'port', type: 'number', min: 1, max: 65_535, required: true, inputmode: 'numeric' },
  });
  private token: TerminalToken | undefined;
  private readonly reading = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private shown = '';

  constructor(
    private readonly api: Api,
    private readonly workspaceId: string,
  ) {
    this.element = h(
      'section',
      { 'aria-labelledby': 'ports-title', class: 'card' },
      h('h2', { id: 'ports-title' }, 'Ports'),
      this.list,
      h(
        'form',
        { class: 'buttons', submit: (event) => this.open(event) },
        h('label', { for: 'port' }, 'Port'),
        this.input,
        h('button', { type: 'submit' }, 'Open port'),
      ),
      h(
        'p',
        { class: 'hint' },
        'A port opens in a new tab. Only people with access to the workspace see it.',
      ),
    );
  }

  start(): void {
    const { signal } = this.reading;
    // Nobody looks at a hidden tab.
    const reading = document.hidden ? Promise.resolve() : this.refresh(signal);
    reading
      .then(() => refreshEveryMs)
      .catch((error: unknown) => {
        if (!signal.aborted) this.failed(error);
        const isWaking = error instanceof ApiError && error.code === 'WAKING';
        return isWaking ? refreshEveryMs : afterFailureMs;
      })
      .then((waitMs) => {
        if (!signal.aborted) this.timer = setTimeout(() => this.start(), waitMs);
      });
  }

  [Symbol.dispose](): void {
    this.reading.abort();
    clearTimeout(this.timer);
  }

  /** From the node itself: the control plane does not know what listens. */
  private async refresh(signal: AbortSignal): Promise<void> {
    const { workspaceId } = this;
    this.token ??= await this.api.call('/api/terminal/token', {
      ...{ method: 'POST', body: { workspaceId }, signal, reads: TerminalToken },
    });
    const asked = { workspaceId, path: 'ports', signal, reads: WorkspacePorts };
    const ports = await callNode(this.token, asked);
    // A list that is replaced loses the focus of a keyboard user.
    const shown = JSON.stringify(ports);
    if (signal.aborted || shown === this.shown) return;
    this.shown = shown;
    replace(this.list, this.listOf(ports));
  }

  private listOf({ ports, forwardPorts, diagnostics: { error } }: WorkspacePorts): HTMLElement {
    if (error !== null)
      return h('p', { class: 'notice' }, `The node cannot find ports of this workspace: ${error}`);
    const services = [
      ...ports.map(({ port, label }) => ({ port, label, state: 'listens' })),
      ...forwardPorts
        .filter(({ listening }) => !listening)
        .map(({ port, label }) => ({ port, label, state: 'does not listen yet' })),
    ].sort((one, other) => one.port - other.port);
    if (services.length === 0) return h('p', { class: 'quiet' }, 'Nothing listens in this workspace.');
    return h('ul', { class: 'plain' }, ...services.map((service) => this.row(service)));
  }

  private row({ port, label, state }: { port: number; label: string; state: string }): HTMLElement {
    const choose = () => this.choose(port);
    const link = h(
      'a',
      {
        ...{ href: pageOfPort(this.workspaceId, port), target: '_blank', rel: 'noopener', class: 'strong' },
        // The second event is of a middle click.
        ...{ click: choose, auxclick: choose },
      },
      `Port ${port}`,
    );
    const name = label && label !== String(port) ? h('span', {}, label) : null;
    return h('li', { class: 'row' }, link, name, h('span', { class: 'quiet' }, state));
  }

  private failed(error: unknown): void {
    // It may have expired, or the workspace has another address now.
    this.token = undefined;
    this.shown = '';
    const text = `The list of ports cannot be read. ${messageOf(error)}`;
    replace(this.list, h('p', { class: 'notice bad', role: 'alert' }, text));
  }

  private open(event: Event): void {
    event.preventDefault();
    const port = this.input.valueAsNumber;
    this.choose(port);
    window.open(pageOfPort(this.workspaceId, port), '_blank', 'noopener');
  }

  /** The page of the port opens without another click. */
  private choose(port: number): void {
    new PortIntent(localStorage, `${this.workspaceId}:${port}`).record(Date.now());
  }
}
