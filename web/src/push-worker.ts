// Service worker of the console: shows push messages, also while no page is open
import type { InboxEntry } from '../../protocol/live.js';
import { inboxWords } from './inbox/inbox-words.js';

type Pushed = Pick<InboxEntry, 'id' | 'kind' | 'reason' | 'title' | 'link'>;

/** The used types of workers, which exclude those of pages. */
interface Waiting extends Event {
  readonly waitUntil: (work: Promise<unknown>) => void;
}
interface PushEvent extends Waiting {
  readonly data: { readonly json: () => unknown } | null;
}
interface NotificationEvent extends Waiting {
  readonly notification: Notification;
}
interface Page {
  readonly focus: () => Promise<Page>;
  readonly navigate: (url: string) => Promise<unknown>;
}
interface Worker {
  readonly location: Location;
  readonly registration: ServiceWorkerRegistration;
  readonly clients: {
    readonly matchAll: (options: { readonly type: 'window' }) => Promise<readonly Page[]>;
    readonly openWindow: (url: string) => Promise<unknown>;
  };
  addEventListener(type: 'push', listen: (event: PushEvent) => void): void;
  addEventListener(type: 'notificationclick', listen: (event: NotificationEvent) => void): void;
}

// This file runs as a service worker only.
const worker = globalThis as unknown as Worker;

worker.addEventListener('push', (event) => {
  // Only this deployment can send one: the push service checks its signature.
  const pushed = event.data?.json() as Pushed | undefined;
  if (pushed) event.waitUntil(show(pushed));
});

worker.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(String(event.notification.data)));
});

/** A page that shows the same item replaces the notification, and the other way round. */
function show(pushed: Pushed): Promise<void> {
  const title = [inboxWords(pushed).text, pushed.title].filter(Boolean).join(': ');
  return worker.registration.showNotification(title, { tag: pushed.id, data: pushed.link });
}

async function open(link: string): Promise<void> {
  const url = new URL(link, worker.location.origin);
  if (url.origin !== worker.location.origin) return;
  const [page] = await worker.clients.matchAll({ type: 'window' });
  if (!page) await worker.clients.openWindow(url.href);
  else await (await page.focus()).navigate(url.href);
}
