/** Focuses the next stop of a list, or the one before: what the selector finds. */
export function goToStop(list: HTMLElement, [step, selector]: readonly [number, string]): void {
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
