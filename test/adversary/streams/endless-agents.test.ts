import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasDocker } from '../../integration/agent/docker-engine.js';
import { FakeControlPlane } from '../../integration/agent/fake-control-plane.js';
import { ContainerHarnesses } from '../../integration/harness/container-fixture.js';
import { ReceivedUpdates } from '../../integration/harness/harness-fixture.js';
import { untilQuiet } from './hostile-workspace.js';

const mebibyte = 2 ** 20;
/** Memory of this process, whose garbage is collected later than that of a node's agent. */
const memoryBytes = 256 * mebibyte;

const update = JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's' } });

/** The output of a replaced coding agent. A limit of a message or of time ends it. */
const writers = [
  { prints: 'one message', script: 'exec cat /dev/zero' },
  { prints: 'lines', script: 'exec yes text' },
  { prints: 'messages', script: `exec yes '${update}'` },
  { prints: 'errors', script: 'exec cat /dev/zero >&2' },
];

describe.skipIf(!hasDocker())('a coding agent that prints for ever', () => {
  let fake: FakeControlPlane;

  beforeAll(async () => {
    fake = await FakeControlPlane.start();
  });
  afterAll(() => fake[Symbol.asyncDispose]());

  const memory = (of: 'VmHWM' | 'VmRSS') =>
    Number(new RegExp(`^${of}:\\s+(\\d+) kB`, 'm').exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) *
    1_024;

  it.each(writers)('is ended, with bounded memory: $prints', async ({ script }) => {
    const commands = { 'claude-code': ['/bin/sh', '-c', script] };
    await using fixture = await ContainerHarnesses.make(
      fake,
      {},
      {
        ACP_COMMAND_OVERRIDES: JSON.stringify(commands),
        ACP_INIT_TIMEOUT_MS: '3000',
      },
    );
    writeFileSync('/proc/self/clear_refs', '5');
    const before = memory('VmRSS');

    const started = fixture.start(new ReceivedUpdates());

    await expect(started).rejects.toMatchObject({ name: 'HarnessError', kind: 'crashed_at_start' });
    expect(memory('VmHWM') - before).toBeLessThan(memoryBytes);
    await untilQuiet(fixture.name);
  });
});
