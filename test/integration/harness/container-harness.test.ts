import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HarnessError } from '../../../agent/src/harness/harness.js';
import { until } from '../../support/until.js';
import { hasDocker } from '../agent/docker-engine.js';
import { FakeControlPlane } from '../agent/fake-control-plane.js';
import { ContainerHarnesses, docker } from './container-fixture.js';
import { agentPlace, platformAnswer, platformPrompt, promptOf, ReceivedUpdates } from './harness-fixture.js';

describe.skipIf(!hasDocker())('a harness in a container (with the image of scripts/base-image.sh)', () => {
  let fake: FakeControlPlane;

  beforeAll(async () => {
    fake = await FakeControlPlane.start();
  });

  afterAll(async () => {
    await fake[Symbol.asyncDispose]();
  });

  it('runs in the container, and delivers its updates in order', async () => {
    await using fixture = await ContainerHarnesses.make(fake);
    const received = new ReceivedUpdates();
    const harness = await fixture.start(received);

    await harness.prompt(
      promptOf('[[write /workspaces/full/a.txt made]][[read /workspaces/full/a.txt]][[flood 2000]]'),
    );

    const numbers = Array.from({ length: 2_000 }, (_, index) => `${index} `).join('');
    expect(received.text).toBe(`written: /workspaces/full/a.txtcontent: made${numbers}`);
    expect(fixture.inside('cat /workspaces/full/a.txt')).toBe('made');
    expect(fixture.acp.journal('process')).toMatchObject([{ data: { cwd: '/workspaces/full' } }]);
    expect(await harness.stop()).toMatchObject({ exitCode: 0, isIntended: true });
  });

  it('ends first when memory is short, and says so with the numbers', async () => {
    const limits = ['--memory', '160m', '--memory-swap', '160m', '--oom-score-adj', '500'];
    await using fixture = await ContainerHarnesses.make(fake, { hangAt: 'prompt' }, {}, {}, limits);
    const harness = await fixture.start(new ReceivedUpdates());
    const pid = fixture.acp.journal('process')[0]?.pid;
    expect(fixture.inside(`cat /proc/${pid}/oom_score_adj /proc/1/oom_score_adj`)).toBe('600\n500');
    const turn = harness.prompt(promptOf('work')).catch((error: unknown) => error);

    // Programs of a terminal take what is left, each less than the harness has.
    fixture.inside('for program in 1 2 3 4 5 6; do tail /dev/zero & done; wait; true');

    const failure = (await turn) as HarnessError;
    expect(failure).toBeInstanceOf(HarnessError);
    expect(failure).toMatchObject({ kind: 'crashed', detail: { code: 'harness_out_of_memory' } });
    expect(failure.message).toMatch(
      /was ended by the kernel: the workspace's memory was full, 0\.16 of 0\.16 GiB; killed process: \S+, 0\.\d\d GiB\./,
    );
    expect(await harness.exited).toMatchObject({
      isIntended: false,
      outOfMemory: expect.stringContaining("the workspace's memory was full"),
    });
    expect(fixture.isAlive(1)).toBe(true);
  });

  it('gets the variables of its workspace, project, chat and task', async () => {
    await using fixture = await ContainerHarnesses.make(fake);
    const received = new ReceivedUpdates();
    const harness = await fixture.start(received, agentPlace);

    await harness.prompt(promptOf(platformPrompt));

    expect(received.text).toBe(platformAnswer(fake.url, fixture.workspace.workspaceId));
    await harness.stop();
  });

  it('gets its credential outside of command line, files and engine API', async () => {
    await using fixture = await ContainerHarnesses.make(fake);
    const apiKey = 'it\'s a "plain" $(secret)\nof two lines';
    fake.next.set('agent-key', [{ status: 200, body: { apiKey, credentialKind: 'api-key' } }]);
    const received = new ReceivedUpdates();
    const harness = await fixture.start(received);

    await harness.prompt(promptOf('[[env ANTHROPIC_API_KEY]]'));
    const seen = [
      docker('inspect', fixture.name),
      docker('top', fixture.name, '-eo', 'pid,args'),
      fixture.inside(
        'ls -a /dev/shm /tmp /run; for f in /proc/[0-9]*/cmdline; do tr "\\\\0" " " <"$f"; done 2>/dev/null',
      ),
      JSON.stringify(await fixture.execs()),
    ].join('\n');

    expect(received.text).toBe(`ANTHROPIC_API_KEY=${apiKey}`);
    expect(seen).toContain('main.mjs');
    expect(seen).not.toMatch(/plain|of two lines|ANTHROPIC/);
    await harness.stop();
  });

  it('starts without variables of the dev container that redirect credentials', async () => {
    const inContainer = {
      ANTHROPIC_BASE_URL: 'http://evil.example',
      LD_PRELOAD: '/workspaces/full/evil.so',
      PLAIN: 'kept',
    };
    await using fixture = await ContainerHarnesses.make(fake, {}, {}, inContainer);
    const received = new ReceivedUpdates();
    const harness = await fixture.start(received);

    await harness.prompt(promptOf('[[env ANTHROPIC_BASE_URL]] [[env LD_PRELOAD]] [[env PLAIN]]'));

    expect(received.text).toBe('ANTHROPIC_BASE_URL=LD_PRELOAD=PLAIN=kept');
    await harness.stop();
  });

  it('is killed with its children, even when it ignores signals', async () => {
    await using fixture = await ContainerHarnesses.make(
      fake,
      { ignoresEnd: true, leavesChild: true },
      { ACP_STOP_GRACE: '200ms' },
    );
    const harness = await fixture.start(new ReceivedUpdates());
    const pids = [fixture.acp.journal('process')[0]?.pid ?? 0, Number(fixture.acp.journal('child')[0]?.data)];
    expect(pids.filter((pid) => fixture.isAlive(pid))).toEqual(pids);

    const exit = await harness.stop();

    expect(exit).toMatchObject({ isIntended: true });
    expect(pids.filter((pid) => fixture.isAlive(pid))).toEqual([]);
  });

  it('of an earlier run is killed before a new start, even when frozen', async () => {
    await using fixture = await ContainerHarnesses.make(fake);
    const first = await fixture.start(new ReceivedUpdates());
    const pid = fixture.acp.journal('process')[0]?.pid ?? 0;
    fixture.inside(`kill -STOP ${pid}`);

    const second = await fixture.start(new ReceivedUpdates());

    expect(fixture.isAlive(pid)).toBe(false);
    expect(await first.exited).toMatchObject({ isIntended: false });
    await first.stop();
    expect(await second.prompt(promptOf('hello'))).toEqual({ stopReason: 'end_turn' });
    await second.stop();
  });

  it('reports exit code and standard error when it ends during a turn', async () => {
    await using fixture = await ContainerHarnesses.make(fake);
    const harness = await fixture.start(new ReceivedUpdates());

    const failure = await harness
      .prompt(promptOf('[[stderr the end]][[crash 7]]'))
      .catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(HarnessError);
    expect(failure).toMatchObject({ kind: 'crashed', message: 'Claude Code ended with code 7' });
    expect(await harness.exited).toMatchObject({ exitCode: 7, stderr: 'the end', isIntended: false });
  });

  it('ends with its container', async () => {
    await using fixture = await ContainerHarnesses.make(fake);
    const harness = await fixture.start(new ReceivedUpdates());
    const turn = harness.prompt(promptOf('[[wait never]]')).catch((error: unknown) => error);
    await until('the prompt', () => fixture.acp.journal('prompt')[0]);

    docker('kill', fixture.name);

    expect(await turn).toMatchObject({ kind: 'crashed' });
    expect(await harness.stop()).toMatchObject({ isIntended: expect.any(Boolean) });
  });

  it('loads its session in another run, and stores a changed credential file', async () => {
    await using fixture = await ContainerHarnesses.make(fake);
    const key = { apiKey: '{"tokens":"first"}', credentialKind: 'oauth-token' };
    fake.next.set('agent-key', [
      { status: 200, body: key },
      { status: 200, body: key },
    ]);
    const first = await fixture.start(new ReceivedUpdates(), { agentType: 'openai-codex' });
    await first.prompt(promptOf('hello'));
    expect(fixture.inside('stat -c "%a %n" ~/.codex ~/.codex/auth.json')).toBe(
      '700 /root/.codex\n600 /root/.codex/auth.json',
    );
    writeFileSync(join(fixture.folder, 'new-auth.json'), '{"tokens":"second"}');
    fixture.inside(`cp ${fixture.folder}/new-auth.json ~/.codex/auth.json`);
    await first.stop();

    const { acpSessionId } = first;
    const received = new ReceivedUpdates();
    const session = { mode: 'load' as const, acpSessionId };
    const second = await fixture.start(received, { agentType: 'openai-codex', session });

    expect(received.updates).toEqual([]);
    expect(fake.callsTo('agent-credential-sync').at(-1)?.body).toEqual({
      agentType: 'openai-codex',
      sessionId: 'session-1',
      credentialKind: 'oauth-token',
      credential: '{"tokens":"second"}',
    });
    await second.stop();
  });

  it('reports what the image lacks for the installation', async () => {
    await using fixture = await ContainerHarnesses.make(fake, {}, { ACP_COMMAND_OVERRIDES: '{}' });
    const received = new ReceivedUpdates();
    // No Node, and no way to get one.
    fixture.inside('rm -f /usr/bin/apt-get');

    const failure = await fixture.start(received).catch((error: unknown) => error);

    expect(failure).toMatchObject({
      kind: 'not_startable',
      message: expect.stringMatching(
        /^Claude Code could not be installed: It needs npm and Node 22 or newer/,
      ),
    });
    expect(received.statuses).toEqual(['installing']);
  });
});
