import { expect, it, vi } from 'vitest';
import { CommandSlots } from './command-slots.js';

const limits = { perWorkspace: 2, perNode: 3, waitMs: 30, waitingPerWorkspace: 1 };

/** Commands that run until they are ended. */
function commands(slots: CommandSlots) {
  const ends: (() => void)[] = [];
  return {
    ends,
    start: (workspaceId: string) =>
      slots.run(workspaceId, () => new Promise<string>((resolve) => ends.push(() => resolve(workspaceId)))),
  };
}

it('refuses a command when its workspace has no slot in time', async () => {
  const { start, ends } = commands(new CommandSlots(limits));
  const first = [start('a'), start('a')];

  await expect(start('a')).rejects.toMatchObject({ code: 'unavailable' });

  for (const end of ends) end();
  await Promise.all(first);
});

it('refuses a command at once when the queue of its workspace is full', async () => {
  const { start, ends } = commands(new CommandSlots({ ...limits, waitMs: 60_000 }));
  const first = [start('a'), start('a'), start('a')];

  await expect(start('a')).rejects.toMatchObject({ code: 'unavailable' });

  for (const end of ends) end();
  await vi.waitFor(() => expect(ends).toHaveLength(3));
  ends[2]?.();
  expect(await Promise.all(first)).toEqual(['a', 'a', 'a']);
});

it('serves another workspace while one holds all its slots', async () => {
  const { start, ends } = commands(new CommandSlots(limits));
  const slow = [start('a'), start('a')];

  const other = start('b');
  await vi.waitFor(() => expect(ends).toHaveLength(3));
  ends[2]?.();

  expect(await other).toBe('b');
  for (const end of ends) end();
  await Promise.all(slow);
});

it('bounds the commands of all workspaces together', async () => {
  const { start, ends } = commands(new CommandSlots(limits));
  const running = [start('a'), start('b'), start('c')];

  await expect(start('d')).rejects.toMatchObject({ code: 'unavailable' });
  for (const end of ends) end();
  await Promise.all(running);

  const later = start('d');
  await vi.waitFor(() => expect(ends).toHaveLength(4));
  ends[3]?.();
  expect(await later).toBe('d');
});

it('frees the slot of a command that fails', async () => {
  const slots = new CommandSlots({ ...limits, perWorkspace: 1 });

  await expect(slots.run('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');

  expect(await slots.run('a', async () => 'fine')).toBe('fine');
});
