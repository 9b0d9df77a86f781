import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HarnessError } from '../../../agent/src/harness/harness.js';
import { until } from '../../support/until.js';
import { FakeControlPlane } from '../agent/fake-control-plane.js';
import {
  agentPlace,
  noSettings,
  platformAnswer,
  platformPrompt,
  promptOf,
  ReceivedUpdates,
  StandaloneHarnesses,
} from './harness-fixture.js';

let fake: FakeControlPlane;

beforeAll(async () => {
  fake = await FakeControlPlane.start();
});

afterAll(async () => {
  await fake[Symbol.asyncDispose]();
});

function isAlive(pid: number): boolean {
  // A zombie whose parent has not looked yet is dead.
  return existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
}

async function failureOf(work: Promise<unknown>): Promise<HarnessError> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(HarnessError);
  return error as HarnessError;
}

describe('a turn', () => {
  it('delivers all updates in order before its answer', async () => {
    const fixture = await StandaloneHarnesses.make(fake);
    const received = new ReceivedUpdates();
    const harness = await fixture.start(received);

    const answer = await harness.prompt(promptOf('[[flood 2000]]'));
    const { text } = received;

    expect(answer).toEqual({ stopReason: 'end_turn' });
    expect(text).toBe(Array.from({ length: 2_000 }, (_, index) => `${index} `).join(''));
    expect(received.statuses).toEqual(['starting']);
    expect(await harness.stop()).toMatchObject({ exitCode: 0, isIntended: true });
  });

  it.each([
    ['announces', ['load', 'list', 'close', 'cancel'] as const, true],
    ['does not announce', ['load', 'list', 'cancel'] as const, false],
  ])('knows that the harness %s session/close', async (_what, supports, canClose) => {
    const fixture = await StandaloneHarnesses.make(fake, { supports: [...supports] });
    const harness = await fixture.start(new ReceivedUpdates());
    await harness.stop();

    expect(harness.canClose).toBe(canClose);
  });

  it('ends when it is cancelled', async () => {
    const fixture = await StandaloneHarnesses.make(fake);
    const harness = await fixture.start(new ReceivedUpdates());

    const turn = harness.prompt(promptOf('[[wait never]]'));
    await until('the prompt', () => fixture.acp.journal('prompt')[0]);
    await harness.cancel();

    expect(await turn).toEqual({ stopReason: 'cancelled' });
    await harness.stop();
  });

  it('fails as transient when the provider is overloaded, and the next turn works', async () => {
    const fixture = await StandaloneHarnesses.make(fake);
    const harness = await fixture.start(new ReceivedUpdates());

    const failure = await failureOf(
      harness.prompt(promptOf('[[fail API Error: 529 {"type":"overloaded_error"}]]')),
    );

    expect(failure).toMatchObject({ kind: 'transient', detail: { code: 'provider_overloaded' } });
    expect(await harness.prompt(promptOf('again'))).toEqual({ stopReason: 'end_turn' });
    await harness.stop();
  });

  it('fails as crashed, with standard error, when the process ends', async () => {
    const fixture = await StandaloneHarnesses.make(fake);
    const harness = await fixture.start(new ReceivedUpdates());

    const failure = await failureOf(
      harness.prompt(promptOf('[[stderr out of memory, token=abcdef123456]][[crash 7]]')),
    );

    expect(failure).toMatchObject({
      kind: 'crashed',
      message: 'Claude Code ended with code 7',
      detail: { code: 'agent_crash', stderr: 'out of memory, token=[redacted]', isStderrTruncated: false },
    });
    expect(await harness.exited).toMatchObject({ exitCode: 7, isIntended: false });
  });

  it('fails and ends the process when a message exceeds the limit', async () => {
    const fixture = await StandaloneHarnesses.make(fake);
    const harness = await fixture.start(new ReceivedUpdates());

    const failure = await failureOf(harness.prompt(promptOf(`[[long ${11 * 1_024 * 1_024}]]`)));

    expect(failure.kind).toBe('crashed');
    expect(await harness.exited).toMatchObject({ isIntended: false });
  });

  it('ignores output that is no message', async () => {
    const fixture = await StandaloneHarnesses.make(fake);
    const received = new ReceivedUpdates();
    const harness = await fixture.start(received);

    await harness.prompt(
      promptOf(
        '[[noise npm warn something]][[update {"sessionUpdate":"agent_message_chunk"}]]' +
          '[[update {"sessionUpdate":"from_the_future"}]][[say well]]',
      ),
    );

    expect(received.text).toBe('well');
    expect(received.updates.map(({ update }) => update.sessionUpdate)).toContain('from_the_future');
    await harness.stop();
  });

  it.each([
    [null, 'once'],
    ['bypassPermissions', 'once'],
    ['plan', 'no'],
    ['dontAsk', 'no'],
  ])('requests permission, and in the mode %s gets: %s', async (permissionMode, decided) => {
    const fixture = await StandaloneHarnesses.make(fake);
    const received = new ReceivedUpdates();
    fake.next.set('agent-settings', [{ status: 200, body: { permissionMode } }]);
    const harness = await fixture.start(received);

    await harness.prompt(promptOf('[[permission execute]]'));

    expect(received.text).toBe(`decided: ${decided}`);
    await harness.stop();
  });
});

describe('files', () => {
  it('are read and written only within the workspace', async () => {
    const fixture = await StandaloneHarnesses.make(fake);
    const { work } = fixture;
    writeFileSync(join(work, 'lines.txt'), 'one\ntwo\nthree\n');
    writeFileSync(join(work, 'run.sh'), 'old', { mode: 0o755 });
    writeFileSync(join(fixture.folder, 'secret.txt'), 'hidden');
    symlinkSync(join(fixture.folder, 'secret.txt'), join(work, 'link.txt'));
    writeFileSync(join(work, 'large.txt'), 'x'.repeat(1_024 * 1_024 + 1));
    const received = new ReceivedUpdates();
    const harness = await fixture.start(received);
    const say = async (text: string) => {
      received.updates.length = 0;
      await harness.prompt(promptOf(text));
      return received.text;
    };

    expect(await say(`[[read ${work}/lines.txt]]`)).toBe('content: one\ntwo\nthree\n');
    expect(await say(`[[read ${work}/lines.txt 2 1]]`)).toBe('content: two\n');
    expect(await say(`[[read ${work}/none.txt]]`)).toMatch('error: Resource not found');
    expect(await say(`[[read ${work}/link.txt]]`)).toMatch('leads out of the workspace');
    expect(await say(`[[read ${fixture.folder}/secret.txt]]`)).toMatch('leads out of the workspace');
    expect(await say(`[[read ${work}/large.txt]]`)).toMatch('exceeds the limit of 1048576 bytes');
    expect(await say(`[[write ${work}/new/deep.txt made]]`)).toMatch('written');
    expect(readFileSync(join(work, 'new/deep.txt'), 'utf8')).toBe('made');
    expect(await say(`[[write ${work}/run.sh new]]`)).toMatch('written');
    expect(statSync(join(work, 'run.sh')).mode & 0o777).toBe(0o755);
    expect(await say(`[[write ${work}/link.txt broken]]`)).toMatch('leads out of the workspace');
    expect(readFileSync(join(fixture.folder, 'secret.txt'), 'utf8')).toBe('hidden');
    expect(await say('[[terminal]]')).toMatch('error: ');
    await harness.stop();
  });
});

describe('a session that is loaded', () => {
  it.each([
    ['repeats its history', true, ['load', 'list']],
    ['lists it', false, ['load', 'list']],
    ['refuses unknown ones', false, ['load']],
  ] as const)('is proven when the harness %s', async (_, repeatsHistory, supports) => {
    const fixture = await StandaloneHarnesses.make(fake);
    const first = await fixture.start(new ReceivedUpdates());
    await first.prompt(promptOf('hello'));
    await first.stop();

    fixture.acp.behave({ repeatsHistory, supports: [...supports] });
    const received = new ReceivedUpdates();
    const { acpSessionId } = first;
    const second = await fixture.start(received, { session: { mode: 'load', acpSessionId } });

    expect(second.acpSessionId).toBe(acpSessionId);
    expect(received.updates).toEqual([]);
    await second.prompt(promptOf('more'));
    expect(received.text).toBe('echo: more');
    await second.stop();
  });

  it.each([
    ['is honest', false, ['load', 'list']],
    ['lies', true, ['load', 'list']],
    ['lies and has no list', true, ['load']],
    ['cannot load', false, []],
  ] as const)('is not loaded when it was lost and the harness %s', async (_, liesOnLoad, supports) => {
    const fixture = await StandaloneHarnesses.make(fake);
    const first = await fixture.start(new ReceivedUpdates());
    await first.prompt(promptOf('hello'));
    await first.stop();

    fixture.acp.behave({ liesOnLoad, supports: [...supports] });
    fixture.acp.forget(first.acpSessionId);
    const session = { mode: 'load' as const, acpSessionId: first.acpSessionId };
    const failure = await failureOf(fixture.start(new ReceivedUpdates(), { session }));

    expect(failure.kind).toBe('not_loaded');
    const pids = fixture.acp.journal('process').map(({ pid }) => pid);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(fixture.acp.journal('new')).toHaveLength(1);
  });
});

it('delivers modes and commands that it sends before the first prompt, also after a load', async () => {
  const fixture = await StandaloneHarnesses.make(fake, { commands: ['review'] });
  const received = new ReceivedUpdates();
  const first = await fixture.start(received);
  await first.prompt(promptOf('hello'));
  await first.stop();

  const session = { mode: 'load' as const, acpSessionId: first.acpSessionId };
  const again = new ReceivedUpdates();
  const second = await fixture.start(again, { session });
  await second.stop();

  const kinds = (of: ReceivedUpdates) => of.updates.map(({ update }) => update.sessionUpdate);
  expect(kinds(received)).toEqual(['available_commands_update', 'agent_message_chunk']);
  expect(kinds(again)).toEqual(['available_commands_update']);
});

describe('the process', () => {
  it('is killed with its children, even when it ignores signals', async () => {
    const fixture = await StandaloneHarnesses.make(fake, { ignoresEnd: true, leavesChild: true });
    const harness = await fixture.start(new ReceivedUpdates());
    const child = Number(fixture.acp.journal('child')[0]?.data);
    const [{ pid } = { pid: 0 }] = fixture.acp.journal('process');
    expect([pid, child].filter(isAlive)).toEqual([pid, child]);

    const exit = await harness.stop();

    expect(exit).toMatchObject({ signal: 'SIGKILL', isIntended: true });
    expect([pid, child].filter(isAlive)).toEqual([]);
  });

  it('is killed when frozen', async () => {
    const fixture = await StandaloneHarnesses.make(fake);
    const harness = await fixture.start(new ReceivedUpdates());
    const [{ pid } = { pid: 0 }] = fixture.acp.journal('process');
    process.kill(pid, 'SIGSTOP');

    expect(await harness.stop()).toMatchObject({ signal: 'SIGKILL', isIntended: true });
  });

  it('of an earlier run is killed before a new start', async () => {
    const fixture = await StandaloneHarnesses.make(fake, { ignoresEnd: true });
    const first = await fixture.start(new ReceivedUpdates());

    const second = await fixture.start(new ReceivedUpdates());

    expect(await first.exited).toMatchObject({ signal: 'SIGKILL', isIntended: false });
    await first.stop();
    expect(await second.prompt(promptOf('hello'))).toEqual({ stopReason: 'end_turn' });
    await second.stop();
  });

  it.each([
    ['crashes at its start', { crashAt: 'start', stderr: 'no such option' }, 'ended with code 3'],
    ['crashes when it opens a session', { crashAt: 'new' }, 'ended with code 3'],
    ['does not answer', { hangAt: 'initialize' }, 'No answer to initialize within 300 ms'],
  ] as const)('that %s is reported and leaves no process', async (_, behaviour, message) => {
    const hurry = 'hangAt' in behaviour ? { ACP_INITIALIZE_TIMEOUT_MS: '300' } : undefined;
    const fixture = await StandaloneHarnesses.make(fake, behaviour, hurry);

    const failure = await failureOf(fixture.start(new ReceivedUpdates()));

    expect(failure).toMatchObject({ kind: 'crashed_at_start', message: expect.stringContaining(message) });
    if ('stderr' in behaviour) expect(failure.detail.stderr).toBe(behaviour.stderr);
    expect(
      fixture.acp
        .journal('process')
        .map(({ pid }) => pid)
        .filter(isAlive),
    ).toEqual([]);
  });

  it('ends when its start is aborted', async () => {
    const fixture = await StandaloneHarnesses.make(fake, { hangAt: 'new' });
    const abort = new AbortController();
    const starting = fixture.start(new ReceivedUpdates(), {}, abort.signal);
    await until('its start', () => fixture.acp.journal('initialize')[0]);

    abort.abort(new Error('given up'));

    await expect(starting).rejects.toThrow('given up');
    expect(
      fixture.acp
        .journal('process')
        .map(({ pid }) => pid)
        .filter(isAlive),
    ).toEqual([]);
  });

  it('that does not exist is reported', async () => {
    const fixture = await StandaloneHarnesses.make(
      fake,
      {},
      {
        ACP_COMMAND_OVERRIDES: JSON.stringify({ 'claude-code': ['/nowhere/harness'] }),
      },
    );

    expect(await failureOf(fixture.start(new ReceivedUpdates()))).toMatchObject({
      kind: 'not_startable',
      message: 'Claude Code could not be started',
    });
  });
});

describe('credentials', () => {
  it('reach the environment of the harness, and no message', async () => {
    const fixture = await StandaloneHarnesses.make(fake);
    fake.next.set('agent-key', [
      { status: 200, body: { apiKey: 'plain-secret-value', credentialKind: 'api-key' } },
    ]);
    const received = new ReceivedUpdates();
    const harness = await fixture.start(received);

    await harness.prompt(promptOf('[[env ANTHROPIC_API_KEY]][[env CALLBACK_TOKEN]]'));
    const failure = await failureOf(harness.prompt(promptOf('[[fail bad key plain-secret-value]]')));
    const exit = await failureOf(harness.prompt(promptOf('[[stderr it was plain-secret-value]][[crash]]')));

    expect(received.text).toBe('ANTHROPIC_API_KEY=plain-secret-valueCALLBACK_TOKEN=');
    expect(failure.message).toBe('bad key [redacted]');
    expect(failure.cause).toBeUndefined();
    expect(exit.detail.stderr).toBe('it was [redacted]');
    expect(fixture.logged.join()).not.toContain('plain-secret-value');
  });

  it('that are missing are reported, unless the person has signed in inside the workspace', async () => {
    const fixture = await StandaloneHarnesses.make(fake);
    const missing = { status: 404, body: { error: 'not_found', message: 'none' } };
    fake.next.set('agent-key', [missing, missing]);

    const failure = await failureOf(fixture.start(new ReceivedUpdates()));
    mkdirSync(join(fixture.home, '.claude'));
    writeFileSync(join(fixture.home, '.claude/.credentials.json'), '{}');
    const harness = await fixture.start(new ReceivedUpdates());

    expect(failure).toMatchObject({
      kind: 'not_startable',
      message: 'No credential for Claude Code is stored',
    });
    await harness.stop();
  });

  it('that are refused are reported with the reason of the control plane', async () => {
    const fixture = await StandaloneHarnesses.make(fake);
    const message = 'Your own anthropic credential is not allowed in this project.';
    fake.next.set('agent-key', [
      { status: 403, body: { error: 'CREDENTIAL_NOT_ALLOWED_IN_PROJECT', message } },
    ]);

    const failure = await failureOf(fixture.start(new ReceivedUpdates()));

    expect(failure).toMatchObject({ kind: 'not_startable', message });
  });

  it('in a file are readable by the owner only, and are stored when changed', async () => {
    const fixture = await StandaloneHarnesses.make(fake);
    const key = { apiKey: '{"tokens":"first-of-all-tokens"}', credentialKind: 'oauth-token' };
    fake.next.set('agent-key', [
      { status: 200, body: key },
      { status: 200, body: key },
    ]);
    const path = join(fixture.home, '.codex/auth.json');
    const isMine = ({ path: called }: { path: string }) => called.includes(fixture.workspace.workspaceId);

    const first = await fixture.start(new ReceivedUpdates(), { agentType: 'openai-codex' });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(fixture.home, '.codex')).mode & 0o777).toBe(0o700);
    await first.stop();
    expect(fake.callsTo('agent-credential-sync').filter(isMine)).toEqual([]);
    const second = await fixture.start(new ReceivedUpdates(), { agentType: 'openai-codex' });
    writeFileSync(path, '{"tokens":"second"}');
    await second.stop();

    expect(fake.callsTo('agent-credential-sync').filter(isMine)).toMatchObject([
      {
        body: { agentType: 'openai-codex', credentialKind: 'oauth-token', credential: '{"tokens":"second"}' },
      },
    ]);
  });
});

describe('settings', () => {
  it('gets the variables of its workspace, project, chat and task', async () => {
    const fixture = await StandaloneHarnesses.make(fake);
    const received = new ReceivedUpdates();
    const harness = await fixture.start(received, agentPlace);

    await harness.prompt(promptOf(platformPrompt));

    expect(received.text).toBe(platformAnswer(fake.url, fixture.workspace.workspaceId));
    await harness.stop();
  });

  it('of the request override those of the person', async () => {
    const fixture = await StandaloneHarnesses.make(fake, {
      modes: ['default', 'plan'],
      models: ['small', 'large'],
    });
    fake.next.set('agent-settings', [
      { status: 200, body: { model: 'large', permissionMode: 'plan', effort: 'low' } },
    ]);
    const received = new ReceivedUpdates();
    const settings = { ...noSettings, effort: 'high' };
    const mcpServers = [{ name: 'tools', url: 'https://mcp.example/x', token: 'mcp-token' }];

    const harness = await fixture.start(received, { settings, mcpServers });
    await harness.prompt(promptOf('[[env ANTHROPIC_MODEL]] [[env CLAUDE_CODE_EFFORT_LEVEL]]'));

    expect(received.text).toBe('ANTHROPIC_MODEL=largeCLAUDE_CODE_EFFORT_LEVEL=high');
    expect(fixture.acp.journal('mode')).toMatchObject([{ text: 'plan' }]);
    expect(fixture.acp.journal('option')).toMatchObject([{ text: 'large' }]);
    expect(fixture.acp.journal('new')[0]?.data).toMatchObject({
      cwd: fixture.work,
      mcpServers: [
        {
          type: 'http',
          name: 'tools',
          url: 'https://mcp.example/x',
          headers: [{ name: 'Authorization', value: 'Bearer mcp-token' }],
        },
      ],
    });
    await harness.stop();
  });

  it('set variables, which do not override those of the agent type', async () => {
    const fixture = await StandaloneHarnesses.make(fake, { modes: ['default'], models: ['large'] });
    fake.next.set('agent-settings', [{ status: 200, body: { model: 'large' } }]);
    const envVars = [
      { key: 'TEAM_TOKEN', value: 'team-secret', isSecret: true },
      { key: 'ANTHROPIC_MODEL', value: 'of-the-profile', isSecret: true },
      // More than most answers may hold.
      { key: 'LONG', value: 'x'.repeat(100_000), isSecret: true },
    ];
    const { workspaceId } = fixture.workspace;
    fake.next.set('runtime-assets', [{ status: 200, body: { workspaceId, envVars, files: [] } }]);
    const received = new ReceivedUpdates();

    const harness = await fixture.start(received);
    await harness.prompt(promptOf('[[env TEAM_TOKEN]] [[env ANTHROPIC_MODEL]]'));

    expect(received.text).toBe('TEAM_TOKEN=team-secretANTHROPIC_MODEL=large');
    await harness.stop();
  });

  it('set no reserved variable, and the boot log names it', async () => {
    const fixture = await StandaloneHarnesses.make(fake);
    const envVars = [
      { key: 'TEAM_TOKEN', value: 'team-secret', isSecret: true },
      { key: 'ANTHROPIC_BASE_URL', value: 'http://evil.example', isSecret: true },
    ];
    const refused = [{ key: 'LD_PRELOAD', reason: 'It makes programs load other code' }];
    const { workspaceId } = fixture.workspace;
    fake.next.set('runtime-assets', [{ status: 200, body: { workspaceId, envVars, refused, files: [] } }]);
    const received = new ReceivedUpdates();

    const harness = await fixture.start(received);
    await harness.prompt(promptOf('[[env TEAM_TOKEN]] [[env ANTHROPIC_BASE_URL]]'));

    expect(received.text).toBe('TEAM_TOKEN=team-secretANTHROPIC_BASE_URL=');
    expect(fixture.bootLogged).toEqual([
      {
        step: 'agent_variables',
        status: 'completed',
        message: '2 variables or settings of the project, profile or skill are not used',
        detail: expect.stringMatching(/^LD_PRELOAD: It makes.*\.\nANTHROPIC_BASE_URL: It configures/),
      },
    ]);
    await harness.stop();
  });

  it('do not start a harness without its variables', async () => {
    const fixture = await StandaloneHarnesses.make(fake);
    fake.next.set('runtime-assets', [{ status: 404, body: { error: 'NOT_FOUND', message: 'Session' } }]);

    expect(await failureOf(fixture.start(new ReceivedUpdates()))).toMatchObject({
      kind: 'not_startable',
      message: 'Could not fetch the variables of the session',
    });
  });

  it('with MCP servers do not start a harness without MCP over HTTP', async () => {
    const fixture = await StandaloneHarnesses.make(fake, { supports: [] });
    const mcpServers = [{ url: 'https://mcp.example/x' }];

    expect(await failureOf(fixture.start(new ReceivedUpdates(), { mcpServers }))).toMatchObject({
      kind: 'not_startable',
      message: 'Claude Code cannot use remote MCP servers',
    });
  });
});
