import { type RefObject, useEffect } from 'react';
import { goToStop } from '../ui/stops.js';
import { isPlainKey } from './plain-key.js';

const steps: Readonly<Record<string, number>> = { j: 1, k: -1 };

/**
 * `j` and `k` go through the items of a list. On an item, Enter opens it and a digit presses one of
 * its answers.
 */
export function useItemKeys(list: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (list.current && isPlainKey(event) && act(list.current, event.key)) event.preventDefault();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, [list]);
}

function act(list: HTMLElement, key: string): boolean {
  const step = steps[key];
  if (step === undefined) return press(list, key);
  goToStop(list, [step, '[data-stop]']);
  return true;
}

/** Whether the item with the focus has something for the key. */
function press(list: HTMLElement, key: string): boolean {
  const item = document.activeElement;
  if (!item?.matches('[data-stop]') || !list.contains(item)) return false;
  const found = key === 'Enter' ? item.querySelector('a') : answers(item)[Number(key) - 1];
  found?.click();
  return found !== undefined && found !== null;
}

const answers = (item: Element) => [
  ...item.querySelectorAll<HTMLButtonElement>('.answers .buttons button, .answers > button'),
];
