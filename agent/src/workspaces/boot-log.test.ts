import { expect, it, vi } from 'vitest';
import { Log } from '../shared/log.js';
import { BootLog } from './boot-log.js';
import type { Workspace } from './workspace.js';

it('gives entries of one millisecond ids in order', async () => {
  const ids: string[] = [];
  const bootLog = vi.fn(async (_workspace: unknown, { entryId }: { readonly entryId: string }) => {
    ids.push(entryId);
  });
  const log = new Log({ level: 'error', format: 'json' }, () => undefined);
  // Only what is looked at.
  const workspace = { workspaceId: 'w', generation: 1 } as Workspace;

  await using entries = new BootLog({ bootLog }, log);
  for (let index = 0; index < 200; index += 1)
    entries.add(workspace, { step: 'git_clone', status: 'started', message: `${index}` });
  await vi.waitFor(() => expect(ids).toHaveLength(200));

  expect(ids).toEqual(ids.toSorted());
});
