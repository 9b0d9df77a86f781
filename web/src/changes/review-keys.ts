import type { KeyboardEvent } from 'react';
import { goToStop } from '../ui/stops.js';

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
  if (move) goToStop(currentTarget, move);
  else if (key === 'c') comment(currentTarget);
  else return;
  event.preventDefault();
}

function comment(list: HTMLElement): void {
  const active = document.activeElement;
  if (active instanceof HTMLElement && active.dataset.stop === 'line' && list.contains(active))
    active.click();
}
