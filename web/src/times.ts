const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** `3 minutes ago`, in the largest unit that fits. */
export function ago(iso: string, now: Date = new Date()): string {
  const seconds = Math.round((Date.parse(iso) - now.getTime()) / 1_000);
  if (!Number.isFinite(seconds)) return 'at an unknown time';
  const unit = units.find(([, length]) => Math.abs(seconds) >= length);
  return unit ? relative.format(Math.trunc(seconds / unit[1]), unit[0]) : 'just now';
}

const short = new Intl.DateTimeFormat('en', { timeStyle: 'short', hourCycle: 'h23' });
const long = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' });

const date = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });

export const day = (iso: string): string => date.format(new Date(iso));

/** `14:32` in the zone of the browser, with the date on another day. */
export function clock(iso: string, now: Date = new Date()): string {
  const at = new Date(iso);
  return (at.toDateString() === now.toDateString() ? short : long).format(at);
}
