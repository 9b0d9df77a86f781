import { FitAddon } from '@xterm/addon-fit';
import { type ITheme, Terminal } from '@xterm/xterm';
import type { Api } from './api.js';
import { h, replace } from './dom.js';
import { TerminalToken } from './records.js';
import { TerminalConnection, type TerminalStatus } from './terminal.js';

const dark: ITheme = { background: '#10161c', foreground: '#dfe7ee', cursor: '#7cc4f0' };

/** The terminal of a workspace, with a line above it that says how the connection stands. */
export class TerminalPanel implements Disposable {
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
  private readonly screen = h('div', { class: 'terminal-screen', role: 'group', 'aria-label': 'Terminal' });
  private readonly connection: TerminalConnection;
  private readonly resizes = new ResizeObserver(() => this.resized());
  private resizeTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(api: Api, workspaceId: string) {
    const reader = h('input', { type: 'checkbox', change: () => this.readAloud(reader.checked) });
    const leave = h('p', { class: 'hint' }, 'Tab goes to the shell. Press F6 to leave the terminal.');
    const bar = h('div', { class: 'bar' }, this.state, h('label', {}, reader, ' Screen reader mode'));
    this.element = h(
      'section',
      { 'aria-labelledby': 'terminal-title', class: 'card' },
      h('h2', { id: 'terminal-title' }, 'Terminal'),
      bar,
      this.screen,
      leave,
    );
    this.connection = new TerminalConnection({
      // One shell a person and workspace: another tab shows the same, and a reload returns to it.
      sessionId: 'console',
      screen: {
        size: () => ({ rows: this.terminal.rows, cols: this.terminal.cols }),
        write: (bytes, done) => this.terminal.write(bytes, done),
        note: (text) => this.terminal.write(`\r\n\x1b[2m[${text}]\x1b[0m\r\n`),
        reset: () => this.terminal.reset(),
      },
      getToken: () =>
        api.call('/api/terminal/token', { method: 'POST', body: { workspaceId }, reads: TerminalToken }),
      openSocket: (url) => {
        const socket = new WebSocket(url);
        socket.binaryType = 'arraybuffer';
        return socket;
      },
      report: (status) => this.show(status),
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

  private isForShell(event: KeyboardEvent): boolean {
    if (event.key !== 'F6') return true;
    event.preventDefault();
    if (event.type === 'keydown') this.element.querySelector<HTMLElement>('.bar input')?.focus();
    return false;
  }

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
      canStart && ' ',
      canStart &&
        h(
          'button',
          { type: 'button', class: 'small', click: () => this.restart() },
          status.kind === 'exited' ? 'Start a new shell' : 'Connect now',
        ),
    );
    if (status.kind === 'open') this.terminal.focus();
  }

  private restart(): void {
    this.connection.start();
    this.terminal.focus();
  }
}

function inWords(status: TerminalStatus): string {
  switch (status.kind) {
    case 'connecting':
      return 'Connecting …';
    case 'open':
      return 'Connected';
    case 'reconnecting':
      return `Not connected: ${status.reason}. Next attempt in ${Math.max(1, Math.round(status.inMs / 1_000))} s.`;
    case 'exited':
      return status.signal
        ? `The shell was ended by signal ${status.signal}.`
        : `The shell has ended${status.exitCode === null ? '' : ` with exit code ${status.exitCode}`}.`;
    default:
      return status.message;
  }
}
