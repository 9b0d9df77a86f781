import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findInstance } from '../support/instance-files.js';
import { Person } from '../support/person.js';
import { TerminalClient } from '../support/terminal-client.js';
import { until } from '../support/until.js';
import {
  createWorkspace,
  getAtWorkspace,
  numbers,
  openTerminal,
  run,
  runThroughDrops,
  terminalToken,
  untilStatus,
  type Walk,
} from './one-workspace.js';

const sha = (text: string) => createHash('sha256').update(text).digest('hex');

/** Answers everybody with one word; it needs nothing but what every Debian has. */
const greeter = `$s = IO::Socket::INET->new(Listen => 5, LocalAddr => "127.0.0.1") or die; print "gre" . "ets at " . $s->sockport . "\\n";
  while ($c = $s->accept) { while (<$c>) { last if /^\\r/ } print $c "HTTP/1.1 200 OK\\r\\nContent-Length: 5\\r\\nConnection: close\\r\\n\\r\\nhello"; close $c }`;

interface WalkedCloud {
  readonly stateDir: string;
  readonly login: string;
  readonly person: Person;
  readonly mallory: Person;
}

/**
 * Defines the tests of one workspace, from sign-in to the end of its machine: one text, whatever
 * runs it.
 */
export function itWalksOneWorkspace(displayName: string, open: () => Promise<WalkedCloud>): void {
  let stateDir: string;
  let login: string;
  let person: Person;
  let mallory: Person;
  let walk: Walk;
  let terminal: TerminalClient;

  beforeAll(async () => {
    ({ stateDir, login, person, mallory } = await open());
    walk = await createWorkspace(person, displayName);
    terminal = await openTerminal(person, walk.workspaceId, 'main');
  });
  afterAll(() => terminal?.drop());

  it('knows who is signed in, and lists the repositories of that person alone', async () => {
    const session = await person.get('/api/auth/session');
    const repositories = await person.get('/api/codehost/repositories?installation_id=5001');

    expect(session.body.user).toMatchObject({ login, email: `${login}@example.com` });
    expect(repositories.status, repositories.text).toBe(200);
    expect(repositories.text).toContain('octo/hello');
    expect(repositories.text).not.toContain('mallory/secrets');
  });

  it('answers its boot log in order, from the first step to ready', async () => {
    // Entries are sent beside the call that makes the workspace run, and may arrive after it.
    const steps = await until('the boot log ends', async () => {
      const { body } = await person.get(`/api/workspaces/${walk.workspaceId}/boot-log`);
      const logs: readonly { readonly step: string; readonly status: string }[] = body.logs;
      const seen = logs.map(({ step, status }) => `${step} ${status}`);
      return seen.includes('workspace_ready completed') ? seen : undefined;
    });

    expect(steps).toContain('git_clone completed');
    expect(steps.at(-1)).toBe('workspace_ready completed');
  });

  it('runs commands in the clone of the repository', async () => {
    await terminal.create();

    const output = await run(terminal, 'git -C . remote get-url origin; cat README.md; pwd');

    expect(output).toContain('octo/hello');
    expect(output).toContain('A first repository to open');
    expect(output).not.toMatch(/gh[su]_/);
  });

  it('pushes a commit from the shell, with no credential of its own', async () => {
    const branch = `from-${displayName}`;

    const output = await run(
      terminal,
      `git -c user.name=Octo -c user.email=octo@example.com commit --allow-empty -qm Hello && git push -q origin HEAD:${branch} && git ls-remote --heads origin ${branch}`,
    );

    expect(output).toMatch(new RegExp(`[0-9a-f]{40}\\s+refs/heads/${branch}`));
  });

  it('does not hand the secrets of the node to the shell', async () => {
    const output = await run(terminal, 'env');

    expect(output).not.toMatch(/BOOTSTRAP_TOKEN|CALLBACK_TOKEN|TLS_KEY_PATH/);
  });

  it('shows what listens in the workspace at an address of its own', async () => {
    await run(terminal, `perl -MIO::Socket::INET -e '${greeter}' & true`);
    const port = await until('the greeter listens', () => /greets at (\d+)/.exec(terminal.text)?.[1]);
    const at = `/workspaces/${walk.workspaceId}/ports`;

    const page = await getAtWorkspace(person, walk.workspaceId, `${at}/${port}/`);
    const list = await getAtWorkspace(person, walk.workspaceId, at);

    expect(page).toEqual({ status: 200, text: 'hello' });
    expect(JSON.parse(list.text)).toMatchObject({ diagnostics: { error: null } });
  });

  it('loses and repeats no byte when the socket drops in the midst of the output', async () => {
    const output = await runThroughDrops(person, walk.workspaceId, terminal);

    const body = output.slice(output.indexOf('BEGIN\r\n') + 'BEGIN\r\n'.length, output.indexOf('END\r\n'));
    expect(terminal.violations).toEqual([]);
    expect(terminal.reattachments).toBe(2);
    expect(body.length).toBe(numbers().length);
    expect(sha(body)).toBe(sha(numbers()));
  });

  it('hides the workspace and its node from everybody else', async () => {
    const answers = await Promise.all([
      mallory.get(`/api/workspaces/${walk.workspaceId}`),
      mallory.get(`/api/workspaces/${walk.workspaceId}/boot-log`),
      mallory.post(`/api/workspaces/${walk.workspaceId}/stop`),
      mallory.delete(`/api/workspaces/${walk.workspaceId}`),
      mallory.post('/api/terminal/token', { workspaceId: walk.workspaceId }),
      mallory.get(`/api/nodes/${walk.nodeId}`),
      mallory.delete(`/api/nodes/${walk.nodeId}`),
    ]);

    // A deletion answers 409 `workspace_missing` for another's workspace as for an unknown one.
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 409, 404, 404, 404]);
  });

  it('ends the terminals of a session that signs out, and of no other', async () => {
    const elsewhere = await Person.signIn(person.url, login);
    const other = await openTerminal(elsewhere, walk.workspaceId, 'elsewhere');
    const { token, host, port } = await terminalToken(elsewhere, walk.workspaceId);

    await elsewhere.post('/api/auth/sign-out');

    await until('the socket to close', () => other.closeCode);
    expect(other.closeCode).toBe(1008);
    await expect(new TerminalClient('late', { host, port }).connect(token)).rejects.toThrow('401');
    expect(await run(terminal, 'echo still here')).toContain('still here');
  });

  it('refuses to end the node of a workspace that runs', async () => {
    const { status, body } = await person.delete(`/api/nodes/${walk.nodeId}`);

    expect([status, typeof body.error]).toEqual([409, 'string']);
  });

  it('stops, deletes, and ends the machine', async () => {
    const stop = await person.post(`/api/workspaces/${walk.workspaceId}/stop`);
    expect(stop.status, stop.text).toBe(200);
    await untilStatus(person, walk.workspaceId, 'stopped');

    await person.delete(`/api/workspaces/${walk.workspaceId}`);
    await until('the workspace is gone', async () => {
      const { status } = await person.get(`/api/workspaces/${walk.workspaceId}`);
      return status === 404 || undefined;
    });

    const instance = findInstance(stateDir, walk.nodeId);
    expect(instance?.state).toBe('running');
    const removal = await person.delete(`/api/nodes/${walk.nodeId}`);
    expect([200, 202], removal.text).toContain(removal.status);
    await until(
      'the instance is terminated',
      () => findInstance(stateDir, walk.nodeId)?.state === 'terminated' || undefined,
    );
  });
}
