const fields = 'input, textarea, select, [contenteditable], dialog';

/** A key that is no text of a field, and nothing else's shortcut. */
export function isPlainKey(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return false;
  return !(event.target instanceof Element && event.target.closest(fields));
}
