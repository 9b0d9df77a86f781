import { describe, expect, it } from 'vitest';
import { hasDocker } from '../../integration/agent/docker-engine.js';
import { capture } from '../../integration/snapshots/capture-and-restore.js';
import { endlessWriter, FolderWatch, HostileContainer } from './hostile-container.js';

const mebibyte = 2 ** 20;
const limits = { totalBytes: 16 * mebibyte, entryBytes: 16 * mebibyte };

/** Programs that a capture starts, and how often one attempt starts them at most. */
const programs = [
  { program: 'tar', prints: 'cat /dev/zero', starts: 2 },
  { program: 'tar', prints: 'cat /dev/urandom', starts: 2 },
  // A child in a session of its own.
  { program: 'tar', prints: "sh -c 'setsid cat /dev/zero & wait'", starts: 2 },
  { program: 'git', prints: 'cat /dev/zero >&2', starts: 1 },
  { program: 'git', when: '*pack-objects*', prints: 'cat /dev/urandom', starts: 1 },
  { program: 'xargs', prints: 'cat /dev/zero', starts: 8 },
  { program: 'stat', when: '*--*', prints: 'cat /dev/urandom', starts: 4 },
];

describe.skipIf(!hasDocker())('a capture of a workspace whose root replaced a program', () => {
  it.each(programs)(
    'ends at once as too large: $program runs $prints',
    async ({ program, when, prints, starts }) => {
      await using hostile = HostileContainer.start();
      hostile.replace(program, endlessWriter(prints), when);
      using watch = new FolderWatch(hostile.folder);

      const captured = capture(hostile, { limits, upload: async () => undefined });

      await expect(captured).rejects.toMatchObject({ code: 'payload_too_large' });
      expect(hostile.starts).toBeLessThanOrEqual(starts);
      await hostile.untilQuiet();
      expect(watch.largestBytes).toBeLessThanOrEqual(limits.totalBytes);
    },
  );
});
