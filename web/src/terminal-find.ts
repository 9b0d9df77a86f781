import type { ILink, Terminal } from '@xterm/xterm';

/** Selects the next place of a text, upwards from the selection; after the first one, the last. */
export function findAbove(terminal: Terminal, text: string): boolean {
  const { length } = terminal.buffer.active;
  const selected = terminal.getSelectionPosition();
  const from = selected ? selected.start.y : length - 1;
  for (let step = 0; text !== '' && step <= length; step += 1) {
    const row = (from - step + 2 * length) % length;
    // On the row of the selection only what is before it.
    const end = step === 0 && selected ? selected.start.x : Number.POSITIVE_INFINITY;
    const column = lastPlace(terminal, { row, text, end });
    if (column < 0) continue;
    terminal.select(column, row, text.length);
    terminal.scrollToLine(Math.max(0, row - Math.floor(terminal.rows / 2)));
    return true;
  }
  return false;
}

interface Wanted {
  readonly row: number;
  readonly text: string;
  /** The place is before this column. */
  readonly end: number;
}

function lastPlace(terminal: Terminal, { row, text, end }: Wanted): number {
  const line = terminal.buffer.active.getLine(row)?.translateToString(true) ?? '';
  return end === 0 ? -1 : line.toLowerCase().lastIndexOf(text.toLowerCase(), end - 1);
}

const address = /https?:\/\/[^\s"'<>`]*[^\s"'<>`.,;:!?)\]}]/g;

/** Addresses in a line of output. Links of no other scheme are made. */
export function addressesIn(line: string): readonly { readonly text: string; readonly at: number }[] {
  return [...line.matchAll(address)].map(({ 0: text, index: at }) => ({ text, at }));
}

/** Opens addresses in the output, each in a tab of its own. */
export function linkAddresses(terminal: Terminal): void {
  terminal.registerLinkProvider({
    provideLinks: (row, found) => {
      const line = terminal.buffer.active.getLine(row - 1)?.translateToString(true) ?? '';
      found(addressesIn(line).map(({ text, at }) => linkOf(text, at, row)));
    },
  });
}

const linkOf = (text: string, at: number, y: number): ILink => ({
  text,
  range: { start: { x: at + 1, y }, end: { x: at + text.length, y } },
  activate: () => void window.open(text, '_blank', 'noopener,noreferrer'),
});
