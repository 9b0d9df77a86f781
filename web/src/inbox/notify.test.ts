import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { InboxEntry } from '../../../protocol/live.js';
import { isNotifying, notify, turnOff, turnOn } from './notify.js';

const item: InboxEntry = {
  id: 'interaction.1',
  kind: 'interaction',
  reason: 'permission',
  title: 'Mend the build',
  projectId: 'p',
  sessionId: 's',
  taskId: null,
  workspaceId: null,
  interactionId: '1',
  sequence: null,
  link: '/workspaces/w',
  createdAt: '2026-11-21T10:00:00.000Z',
};

let shown: { title: string; options: object; notification: { onclick?: () => void } }[];
let isLookedAt: boolean;

class StubNotification {
  static permission = 'default';
  static answer = 'granted';
  static requestPermission = async () => {
    StubNotification.permission = StubNotification.answer;
    return StubNotification.permission;
  };
  onclick?: () => void;
  readonly close = () => undefined;

  constructor(title: string, options: object) {
    shown.push({ title, options, notification: this });
  }
}

beforeEach(() => {
  shown = [];
  isLookedAt = false;
  StubNotification.permission = 'default';
  StubNotification.answer = 'granted';
  const kept = new Map<string, string>();
  vi.stubGlobal('Notification', StubNotification);
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  });
  vi.stubGlobal('document', { hasFocus: () => isLookedAt });
  vi.stubGlobal('window', { focus: () => undefined });
});
afterEach(() => vi.unstubAllGlobals());

it('shows nothing until it is turned on, and after it was turned off', async () => {
  notify(item, () => undefined);
  await turnOn();
  turnOff();
  notify(item, () => undefined);

  expect(shown).toEqual([]);
});

it('shows the kind and the title, once for all windows, and opens the item', async () => {
  const open = vi.fn();
  expect(await turnOn()).toBe(true);
  notify(item, open);

  expect(shown).toMatchObject([
    { title: 'Asks for permission: Mend the build', options: { tag: 'interaction.1' } },
  ]);
  shown[0]?.notification.onclick?.();
  expect(open).toHaveBeenCalledOnce();
});

it('shows nothing to a person who looks at the page', async () => {
  await turnOn();
  isLookedAt = true;
  notify(item, () => undefined);

  expect(shown).toEqual([]);
});

it('stays off when the browser refuses', async () => {
  StubNotification.answer = 'denied';

  expect(await turnOn()).toBe(false);
  expect(isNotifying()).toBe(false);
});
