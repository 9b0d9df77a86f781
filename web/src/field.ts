import { h } from './dom.js';

/** A form control with its label and, where it helps, a line below it. */
export function field(
  label: string,
  control: HTMLInputElement | HTMLSelectElement,
  hint?: string,
): HTMLElement {
  const hintId = `${control.id}-hint`;
  if (hint) control.setAttribute('aria-describedby', hintId);
  return h(
    'div',
    { class: 'field' },
    h('label', { for: control.id }, label),
    control,
    hint !== undefined && h('p', { id: hintId, class: 'hint' }, hint),
  );
}
