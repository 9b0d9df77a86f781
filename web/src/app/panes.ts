import { useEffect } from 'react';

/**
 * F6 goes to the next pane of the page, with Shift to the one before. A terminal has its own way
 * out.
 */
export function usePanes(): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key !== 'F6' || event.defaultPrevented) return;
      event.preventDefault();
      const panes = [...document.querySelectorAll<HTMLElement>('[data-pane]')].filter(isShown);
      nextPane(panes, document.activeElement, event.shiftKey ? -1 : 1)?.focus();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
}

const isShown = (pane: HTMLElement): boolean => pane.getClientRects().length > 0;

interface Pane {
  contains(other: Element | null): boolean;
}

/** Panes may hold others: the innermost counts. Nothing is focused: the first or the last. */
export function nextPane<P extends Pane>(
  panes: readonly P[],
  focused: Element | null,
  step: 1 | -1,
): P | undefined {
  const at = panes.findLastIndex((pane) => pane.contains(focused));
  if (at < 0) return panes.at(step === 1 ? 0 : -1);
  return panes[(at + step + panes.length) % panes.length];
}
