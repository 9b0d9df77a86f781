import { afterEach, expect, it, vi } from 'vitest';
import { Log } from '../shared/log.js';
import type { PtyExit } from './pty.js';
import { Terminals } from './terminals.js';

const log = new Log({ level: 'error', format: 'json' }, () => undefined);
const size = { rows: 24, cols: 80 };
const key = (sessionId: string, userId = 'U', workspaceId = 'W') => ({ sessionId, userId, workspaceId });

afterEach(() => vi.useRealTimers());

function start(
  orphanGraceMs = 0,
  untilOpen = async (_: { readonly workspaceId: string }): Promise<void> => undefined,
) {
  let opened = 0;
  const exits: ((exit: PtyExit) => void)[][] = [];
  const terminals = new Terminals(
    async (wanted) => {
      opened += 1;
      await untilOpen(wanted);
      const listeners: ((exit: PtyExit) => void)[] = [];
      exits.push(listeners);
      const end = () => {
        for (const listener of listeners) listener({ exitCode: 0, signal: null });
      };
      return {
        workingDirectory: '/w',
        pty: {
          onData: () => undefined,
          onExit: (listener) => void listeners.push(listener),
          write: () => undefined,
          resize: () => undefined,
          pause: () => undefined,
          resume: () => undefined,
          kill: end,
        },
      };
    },
    { orphanGraceMs },
    log,
    {
      opened: () => undefined,
      renamed: () => undefined,
      closed: () => undefined,
      workspaceClosed: () => undefined,
    },
  );
  return {
    terminals,
    opened: () => opened,
    end: (index: number) => {
      for (const exit of exits[index] ?? []) exit({ exitCode: 0, signal: null });
    },
  };
}

it('opens a session once for concurrent and repeated requests', async () => {
  const { terminals, opened } = start();

  const [one, two] = await Promise.all([
    terminals.open(key('a'), { size, name: null }),
    terminals.open(key('a'), { size, name: null }),
  ]);

  expect(two).toBe(one);
  expect(await terminals.open(key('a'), { size, name: null })).toBe(one);
  expect(opened()).toBe(1);
});

it('separates persons and workspaces', async () => {
  const { terminals } = start();
  await terminals.open(key('a', 'U1'), { size, name: null });

  expect(terminals.find(key('a', 'U2'))).toBeNull();
  expect(terminals.find(key('a', 'U1', 'W2'))).toBeNull();
  expect(terminals.list('W', 'U2')).toEqual([]);
  expect(terminals.list('W', 'U1')).toHaveLength(1);
});

it('holds at most twenty sessions per workspace, replacing exited ones', async () => {
  const { terminals, end } = start();
  for (let n = 0; n < 20; n += 1) await terminals.open(key(`s${n}`), { size, name: null });

  await expect(terminals.open(key('more'), { size, name: null })).rejects.toThrow('at most 20 sessions');

  end(4);
  await terminals.open(key('more'), { size, name: null });
  expect(terminals.find(key('s4'))).toBeNull();
});

it('closes all sessions of a workspace and no others', async () => {
  const { terminals } = start();
  await terminals.open(key('a'), { size, name: null });
  await terminals.open(key('a', 'U', 'W2'), { size, name: null });

  await terminals.closeWorkspace('W');

  expect(terminals.count('W')).toBe(0);
  expect(terminals.count('W2')).toBe(1);
});

it('closes a workspace while terminals are being opened, its own included', async () => {
  const { promise: slow, resolve: opens } = Promise.withResolvers<void>();
  const { terminals } = start(0, ({ workspaceId }) => (workspaceId === 'W2' ? slow : Promise.resolve()));
  const elsewhere = terminals.open(key('a', 'U', 'W2'), { size, name: null });
  const own = terminals.open(key('a'), { size, name: null });

  await terminals.closeWorkspace('W');

  expect((await own).isRunning).toBe(false);
  expect(terminals.find(key('a'))).toBeNull();
  opens();
  expect((await elsewhere).isRunning).toBe(true);
});

it('closes a terminal without viewers after the grace period, measured by the monotonic clock', async () => {
  vi.useFakeTimers();
  const { terminals } = start(60_000);
  terminals.start();
  await terminals.open(key('a'), { size, name: null });

  vi.setSystemTime(Date.now() + 86_400_000);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(terminals.find(key('a'))).not.toBeNull();

  await vi.advanceTimersByTimeAsync(30_000);
  expect(terminals.find(key('a'))).toBeNull();
  await terminals[Symbol.asyncDispose]();
});
