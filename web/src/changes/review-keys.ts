import type { KeyboardEvent } from 'react';

const moves: Readonly<Record<string, readonly [number, string]>> = {
  ...{ j: [1, '[data-stop]'], k: [-1, '[data-stop]'] },
  ...{ J: [1, '[data-stop="file"]'], K: [-1, '[data-stop="file"]'] },
};

/**
 * `j` and `k` go to the next and the previous changed line, with Shift to the next and previous
 * file. `c` comments on the line. Nothing happens while a person types.
 */
export function reviewKey(event: KeyboardEvent<HTMLElement>): void {
  const { target, currentTarget, key } = event;
  const isTyping = target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  const move = moves[key];
  if (move) go(currentTarget, move);
  else if (key === 'c') comment(currentTarget);
  else return;
  event.preventDefault();
}

function go(list: HTMLElement, [step, selector]: readonly [number, string]): void {
  const stops = [...list.querySelectorAll<HTMLElement>(selector)];
  const active = document.activeElement;
  const place = active ? stops.indexOf(active as HTMLElement) : -1;
  const next = place >= 0 ? place + step : nearest(stops, active, step);
  const stop = stops[Math.min(stops.length - 1, Math.max(0, next))];
  stop?.focus();
  stop?.scrollIntoView({ block: 'nearest' });
}

/** The next stop after, or before, what has the focus and is none. */
function nearest(stops: readonly HTMLElement[], active: Element | null, step: number): number {
  if (!active) return 0;
  const after = stops.findIndex(
    (stop) => active.compareDocumentPosition(stop) & Node.DOCUMENT_POSITION_FOLLOWING,
  );
  if (step > 0) return after < 0 ? stops.length - 1 : after;
  return (after < 0 ? stops.length : after) - 1;
}

function comment(list: HTMLElement): void {
  const active = document.activeElement;
  if (active instanceof HTMLElement && active.dataset.stop === 'line' && list.contains(active))
    active.click();
}
