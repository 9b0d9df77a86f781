import { badgeOf } from './status-words.js';

export function StatusBadge({ status }: { readonly status: string }) {
  const { className, text } = badgeOf(status);
  return <span className={className}>{text}</span>;
}
