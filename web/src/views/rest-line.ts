import { messageOf } from '../api-error.js';
import { h } from '../dom.js';
import { Workspace } from '../records.js';
import { clock } from '../times.js';
import type { Surroundings } from '../view.js';

const keepMinutes = 120;

/** When the workspace sleeps or stops without activity, with a button that postpones it. */
export class RestLine {
  private readonly text = h('span');
  private readonly button = h(
    'button',
    { type: 'button', click: () => this.keepAwake() },
    'Keep awake for 2 hours',
  );
  readonly element = h('p', { class: 'quiet', hidden: true }, this.text, ' ', this.button);

  constructor(
    private readonly surroundings: Surroundings,
    private readonly path: string,
    private readonly changed: () => void,
  ) {}

  show({ sleepsAt = null, stopsAt = null }: Workspace): void {
    const at = sleepsAt ?? stopsAt;
    this.element.hidden = at === null;
    if (at !== null) this.text.textContent = `${sleepsAt ? 'Sleeps' : 'Stops'} at ${clock(at)}`;
  }

  private keepAwake(): void {
    this.button.disabled = true;
    const request = { method: 'POST', body: { minutes: keepMinutes }, reads: Workspace } as const;
    this.surroundings.api
      .call(`${this.path}/keep-awake`, request)
      .then(
        () => this.changed(),
        (error: unknown) => {
          this.text.textContent = messageOf(error);
        },
      )
      .finally(() => {
        this.button.disabled = false;
      });
  }
}
