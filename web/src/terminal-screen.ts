import { FitAddon } from '@xterm/addon-fit';
import { type ITheme, Terminal } from '@xterm/xterm';
import type { Api } from './api.js';
import { h, replace } from './dom.js';
import { findNodeAdvice } from './node-advice.js';
import { TerminalToken } from './records.js';
import { TerminalConnection, type TerminalStatus } from './terminal.js';
import { findAbove, linkAddresses } from './terminal-find.js';

const dark: ITheme = { background: '#10161c', foreground: '#dfe7ee', cursor: '#7cc4f0' };

export interface ShellOfWorkspace {
  readonly workspaceId: string;
  readonly sessionId: string;
  readonly name: string;
}

/** One terminal, with a line above it that says how the connection stands. */
export class TerminalScreen implements Disposable {
  readonly element: HTMLElement;
  private readonly terminal = new Terminal({
    fontFamily: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
    fontSize: 14,
    scrollback: 5_000,
    theme: dark,
    convertEol: false,
  });
  private readonly fit = new FitAddon();
  private readonly state = h('span', { role: 'status', class: 'terminal-state' });
  private readonly search = h('input', {
    ...{ type: 'search', placeholder: 'Find', 'aria-label': 'Find in the output', size: 10 },
  });
  private readonly screen = h('div', { class: 'terminal-screen', role: 'group', 'aria-label': 'Terminal' });
  private readonly connection: TerminalConnection;
  private readonly resizes = new ResizeObserver(() => this.resized());
  private resizeTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    api: Api,
    { workspaceId, sessionId, name }: ShellOfWorkspace,
    private readonly leave: () => void,
  ) {
    const reader = h('input', { type: 'checkbox', change: () => this.readAloud(reader.checked) });
    const bar = h(
      'div',
      { class: 'bar' },
      this.state,
      h('span', { class: 'buttons' }, this.searchForm(), h('label', {}, reader, ' Screen reader mode')),
    );
    this.element = h('div', { class: 'terminal' }, bar, this.screen);
    this.connection = new TerminalConnection({
      // Another window shows the same shell, and a reload returns to it.
      ...{ sessionId, name },
      screen: {
        size: () => ({ rows: this.terminal.rows, cols: this.terminal.cols }),
        write: (bytes, done) => this.terminal.write(bytes, done),
        note: (text) => this.terminal.write(`\r\n\x1b[2m[${text}]\x1b[0m\r\n`),
        reset: () => this.terminal.reset(),
      },
      getToken: () =>
        api.call('/api/terminal/token', { method: 'POST', body: { workspaceId }, reads: TerminalToken }),
      openSocket: (url, protocols) => {
        const socket = new WebSocket(url, protocols);
        socket.binaryType = 'arraybuffer';
        return socket;
      },
      report: (status) => this.show(status),
      advise: (workspaceUrl) => findNodeAdvice(api, workspaceId, workspaceUrl),
    });
  }

  /** After the element is in the page: the size of the screen is known only then. */
  start(): void {
    this.terminal.loadAddon(this.fit);
    this.terminal.open(this.screen);
    this.terminal.textarea?.setAttribute('aria-label', 'Terminal input');
    const encoder = new TextEncoder();
    this.terminal.onData((text) => this.connection.type(encoder.encode(text)));
    this.terminal.onBinary((text) =>
      this.connection.type(Uint8Array.from(text, (character) => character.charCodeAt(0))),
    );
    this.terminal.onResize(() => this.connection.resize());
    this.terminal.attachCustomKeyEventHandler((event) => this.isForShell(event));
    linkAddresses(this.terminal);
    this.fit.fit();
    this.resizes.observe(this.screen);
    this.connection.start();
  }

  [Symbol.dispose](): void {
    this.resizes.disconnect();
    clearTimeout(this.resizeTimer);
    this.connection[Symbol.dispose]();
    this.terminal.dispose();
  }

  focus(): void {
    this.terminal.focus();
  }

  rename(name: string): void {
    this.connection.rename(name);
  }

  /** Ends the shell. */
  end(): void {
    this.connection.end();
  }

  private searchForm(): HTMLElement {
    return h(
      'form',
      {
        role: 'search',
        submit: (event) => {
          event.preventDefault();
          const isFound = findAbove(this.terminal, this.search.value);
          this.search.setAttribute('aria-invalid', String(!isFound));
        },
      },
      this.search,
      ' ',
      h('button', { type: 'submit', class: 'small' }, 'Find'),
    );
  }

  private isForShell(event: KeyboardEvent): boolean {
    const isShifted = event.ctrlKey && event.shiftKey;
    // The browser itself pastes.
    if (isShifted && event.code === 'KeyV') return false;
    const act = event.key === 'F6' ? this.leave : isShifted ? this.shortcuts[event.code] : undefined;
    if (!act) return true;
    event.preventDefault();
    if (event.type === 'keydown') act();
    return false;
  }

  private readonly shortcuts: Readonly<Record<string, () => void>> = {
    KeyC: () => void navigator.clipboard.writeText(this.terminal.getSelection()),
    KeyF: () => this.search.focus(),
  };

  private readAloud(isWanted: boolean): void {
    this.terminal.options.screenReaderMode = isWanted;
  }

  private resized(): void {
    clearTimeout(this.resizeTimer);
    this.resizeTimer = setTimeout(() => this.fit.fit(), 100);
  }

  private show(status: TerminalStatus): void {
    this.element.dataset.state = status.kind;
    const canStart = status.kind !== 'open' && status.kind !== 'connecting';
    replace(
      this.state,
      inWords(status),
      ...acceptLink(status),
      canStart && ' ',
      canStart &&
        h(
          'button',
          { type: 'button', class: 'small', click: () => this.restart() },
          status.kind === 'exited' ? 'Start a new shell' : 'Connect now',
        ),
    );
    if (status.kind === 'open' && this.isWanted()) this.terminal.focus();
  }

  /** It takes the focus from nothing else of the page. */
  private isWanted(): boolean {
    const { activeElement } = document;
    const isFree = !activeElement || activeElement.matches('body, main');
    return (
      !this.element.hidden && (isFree || Boolean(this.element.closest('section')?.contains(activeElement)))
    );
  }

  private restart(): void {
    this.connection.start();
    this.terminal.focus();
  }
}

/** The page is of the node: it gets no access to this one. */
function acceptLink(status: TerminalStatus): readonly (HTMLElement | string)[] {
  const href = status.kind === 'unreachable' ? status.advice.acceptUrl : null;
  if (href === null) return [];
  return [' ', h('a', { href, target: '_blank', rel: 'noopener noreferrer' }, 'Open the node')];
}

function inWords(status: TerminalStatus): string {
  switch (status.kind) {
    case 'connecting':
      return 'Connecting …';
    case 'open':
      return 'Connected';
    case 'reconnecting':
      return `Not connected: ${status.reason}. Next attempt in ${Math.max(1, Math.round(status.inMs / 1_000))} s.`;
    case 'unreachable':
      return status.advice.text;
    case 'exited':
      return status.signal
        ? `The shell was ended by signal ${status.signal}.`
        : `The shell has ended${status.exitCode === null ? '' : ` with exit code ${status.exitCode}`}.`;
    default:
      return status.message;
  }
}
