import { h } from '../dom.js';
import type { BootLogLine } from '../records.js';

const marks = { started: '…', completed: '✓', failed: '✗' } as const;

/**
 * How far provisioning has come. Entries that are shown stay as they are, so that only new ones are
 * read aloud.
 */
export class BootLogList {
  private readonly list = h('ol', { class: 'boot-log plain', 'aria-live': 'polite' });
  private readonly empty = h('p', { class: 'quiet' }, 'Nothing yet.');
  private shown: readonly string[] = [];
  readonly element = h(
    'section',
    { class: 'card', 'aria-labelledby': 'boot-log-title' },
    h('h2', { id: 'boot-log-title' }, 'Boot log'),
    this.empty,
    this.list,
  );

  show(lines: readonly BootLogLine[]): void {
    const ids = lines.map(({ entryId }) => entryId);
    const isContinued = this.shown.every((id, index) => ids[index] === id);
    if (!isContinued) this.list.replaceChildren();
    for (const line of isContinued ? lines.slice(this.shown.length) : lines) this.add(line);
    this.shown = ids;
    this.empty.hidden = lines.length > 0;
  }

  /** How a step ended takes the place of its beginning. */
  private add(line: BootLogLine): void {
    const begun = this.list.querySelector(`[data-step="${CSS.escape(line.step)}"].started`);
    if (begun && line.status !== 'started') begun.replaceWith(item(line));
    else this.list.append(item(line));
  }
}

function item({ status, step, message, detail, timestamp, durationMs }: BootLogLine): HTMLElement {
  return h(
    'li',
    { class: status, 'data-step': step },
    h('span', { class: 'mark', 'aria-hidden': 'true' }, marks[status]),
    h('time', { datetime: timestamp }, new Date(timestamp).toLocaleTimeString()),
    h('span', {}, message, h('span', { class: 'visually-hidden' }, ` (${status})`)),
    durationMs !== undefined && h('span', { class: 'quiet' }, `${(durationMs / 1_000).toFixed(1)} s`),
    detail !== undefined && h('details', {}, h('summary', {}, 'Details'), h('pre', {}, detail)),
  );
}
