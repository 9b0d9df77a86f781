import type { InboxEntry } from '../../../protocol/live.js';
import { inboxWords } from './inbox-words.js';

/** Of the browser and its account: a sign-out turns them off. */
const key = 'berth.notifications';

export const canNotify = (): boolean => 'Notification' in globalThis;

export const isNotifying = (): boolean =>
  canNotify() && Notification.permission === 'granted' && localStorage.getItem(key) === 'on';

/** False when the browser refuses them. */
export async function turnOn(): Promise<boolean> {
  const isGranted = (await Notification.requestPermission()) === 'granted';
  if (isGranted) localStorage.setItem(key, 'on');
  return isGranted;
}

export const turnOff = (): void => localStorage.removeItem(key);

/** What waits and where, while nobody looks at the page. Two windows show one notification. */
export function notify(item: InboxEntry, open: () => void): void {
  if (!isNotifying() || document.hasFocus()) return;
  const title = [inboxWords(item).text, item.title].filter(Boolean).join(': ');
  const shown = new Notification(title, { tag: item.id });
  shown.onclick = () => {
    window.focus();
    shown.close();
    open();
  };
}
