import { h } from './dom.js';
import { badgeOf } from './ui/status-words.js';

export function statusBadge(status: string): HTMLElement {
  const { className, text } = badgeOf(status);
  return h('span', { class: className }, text);
}
