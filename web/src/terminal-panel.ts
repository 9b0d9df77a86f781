import type { Api } from './api.js';
import { confirmDialog } from './confirm-dialog.js';
import { h, replace } from './dom.js';
import { mostTerminals, type NamedTerminal, TerminalNames } from './terminal-names.js';
import type { TerminalScreen } from './terminal-screen.js';

/**
 * The terminals of a workspace in tabs. Each connects when it is first shown. The first one loads
 * the terminal emulator; the page is usable before.
 */
export class TerminalPanel implements Disposable {
  private readonly tabs = h('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Terminals' });
  private readonly name = h('input', {
    ...{ 'aria-label': 'Name of the terminal', maxlength: 40, size: 12, change: () => this.rename() },
  });
  private readonly place = h('div', {
    ...{ role: 'tabpanel', id: 'terminal-shown', 'aria-labelledby': 'terminal-console' },
  });
  private readonly added = h('button', { type: 'button', class: 'small', click: () => this.add() }, 'New');
  readonly element = h(
    'section',
    { 'aria-labelledby': 'terminal-title', class: 'card' },
    h('h2', { id: 'terminal-title' }, 'Terminal'),
    h(
      'div',
      { class: 'bar' },
      this.tabs,
      h(
        'span',
        { class: 'buttons' },
        this.name,
        this.added,
        h('button', { type: 'button', class: 'small', click: () => void this.close() }, 'Close'),
      ),
    ),
    this.place,
    h(
      'p',
      { class: 'hint' },
      'Tab goes to the shell. F6 leaves the terminal. Ctrl+Shift+C copies, Ctrl+Shift+V pastes, Ctrl+Shift+F finds.',
    ),
  );
  private readonly names: TerminalNames;
  private readonly screens = new Map<string, TerminalScreen>();
  private selected = '';
  private isDisposed = false;

  constructor(
    private readonly api: Api,
    private readonly workspaceId: string,
  ) {
    this.names = new TerminalNames(localStorage, workspaceId);
  }

  /** After the element is in the page. */
  start(): void {
    const [first] = this.names.read();
    if (first) this.select(first.id);
  }

  [Symbol.dispose](): void {
    this.isDisposed = true;
    for (const screen of this.screens.values()) screen[Symbol.dispose]();
  }

  private select(id: string): void {
    const terminals = this.names.read();
    const shown = terminals.find((one) => one.id === id) ?? terminals[0];
    if (!shown) return;
    this.selected = shown.id;
    this.name.value = shown.name;
    this.added.disabled = terminals.length >= mostTerminals;
    this.place.setAttribute('aria-labelledby', `terminal-${shown.id}`);
    replace(this.tabs, ...terminals.map((one) => this.tab(one)));
    for (const [each, screen] of this.screens) screen.element.hidden = each !== shown.id;
    const known = this.screens.get(shown.id);
    if (known) known.focus();
    else this.open(shown.id).catch(() => this.place.append('The terminal was not loaded. Reload this page.'));
  }

  private async open(id: string): Promise<void> {
    const { TerminalScreen } = await import('./terminal-screen.js');
    const named = this.names.read().find((one) => one.id === id);
    // During the load, the person can choose or close another terminal, or choose this one twice.
    if (this.isDisposed || !named || this.selected !== id || this.screens.has(id)) return;
    const shell = { workspaceId: this.workspaceId, sessionId: id, name: named.name };
    const screen = new TerminalScreen(this.api, shell, () => this.focusTabs());
    this.screens.set(id, screen);
    this.place.append(screen.element);
    screen.start();
  }

  private tab({ id, name }: NamedTerminal): HTMLElement {
    const isSelected = id === this.selected;
    return h(
      'button',
      {
        ...{ type: 'button', role: 'tab', id: `terminal-${id}`, 'aria-controls': 'terminal-shown' },
        ...{ 'aria-selected': String(isSelected), tabindex: isSelected ? 0 : -1 },
        click: () => this.select(id),
        keydown: (event) => this.step(event as KeyboardEvent),
      },
      name,
    );
  }

  private step(event: KeyboardEvent): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const terminals = this.names.read();
    const place = terminals.findIndex(({ id }) => id === this.selected) + step;
    const next = terminals.at(place % terminals.length);
    if (next) this.select(next.id);
    this.focusTabs();
  }

  private focusTabs(): void {
    this.tabs.querySelector<HTMLElement>('[aria-selected="true"]')?.focus();
  }

  private add(): void {
    if (this.names.read().length < mostTerminals) this.select(this.names.add().id);
  }

  private rename(): void {
    const name = this.name.value.trim();
    if (name === '') return;
    this.names.rename(this.selected, name);
    this.screens.get(this.selected)?.rename(name);
    replace(this.tabs, ...this.names.read().map((one) => this.tab(one)));
  }

  private async close(): Promise<void> {
    const { selected: id } = this;
    const text = 'Its shell and the programs in it end.';
    if (!(await confirmDialog({ title: 'Close this terminal?', text, action: 'Close' }))) return;
    const screen = this.screens.get(id);
    screen?.end();
    screen?.[Symbol.dispose]();
    screen?.element.remove();
    this.screens.delete(id);
    this.names.remove(id);
    this.select(id);
  }
}
