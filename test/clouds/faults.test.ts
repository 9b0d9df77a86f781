import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { freePortRange } from '../../local/processes/ports.js';
import { createWorkspace, openTerminal, run, untilStatus, type Walk } from '../e2e/one-workspace.js';
import { listInstances } from '../support/instance-files.js';
import { NpmStart } from '../support/npm-start.js';
import { Person } from '../support/person.js';
import { until } from '../support/until.js';

const isReported = process.platform === 'linux' && !inject('endpoint');
if (!isReported) console.warn('npm start is not killed here: it takes Linux and an emulator of its own.');

/** One story in order: each start finds what the end before it left behind. */
describe.skipIf(!isReported)('npm start, ended in every way', () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'berth-faults-'));
  let port: number;
  let berth: NpmStart;
  let person: Person;
  let walk: Walk;

  const start = () => {
    berth = new NpmStart(stateDir, port);
    return berth;
  };
  const startAndWait = async () => {
    await start().says('Berth is ready');
    return berth.output;
  };
  /** A terminal of its own finds the file that the first one wrote. */
  const expectUsable = async (sessionId: string) => {
    await untilStatus(person, walk.workspaceId, 'running');
    const output = await until('a terminal opens', async () => {
      const terminal = await openTerminal(person, walk.workspaceId, sessionId);
      try {
        await terminal.create();
        return await run(terminal, 'cat kept.txt');
      } finally {
        terminal.drop();
      }
    });
    expect(output).toContain('kept through it all');
  };

  beforeAll(async () => {
    port = await freePortRange(4);
  });
  afterAll(async () => {
    for (const pid of berth?.processes() ?? []) process.kill(pid, 'SIGKILL');
    await berth?.untilNoProcess();
    rmSync(stateDir, { recursive: true, force: true, maxRetries: 5 });
  });

  it('stops at Ctrl-C during start and leaves no process', async () => {
    await start().says('AWS emulator');
    berth.signalGroup('SIGINT');

    await berth.ended();
    await berth.untilNoProcess();
  });

  it('starts again with what was deployed', async () => {
    const output = await startAndWait();

    expect(output).not.toContain('Copy of the deployment');
    expect(output).not.toContain('deployed again');
    person = await Person.signIn(berth.url, 'octo');
    walk = await createWorkspace(person, 'faults');
    const terminal = await openTerminal(person, walk.workspaceId, 'first');
    await terminal.create();
    await run(terminal, 'echo kept through it all > kept.txt');
    terminal.drop();
  });

  it('restarts a killed agent, and the workspace is unchanged', async () => {
    const name = `agent-${walk.nodeId}`;
    const killed = berth.pidOf(name);
    process.kill(killed, 'SIGKILL');

    await until('another agent runs', () => berth.pidOf(name) !== killed || undefined);
    await expectUsable('after-the-agent');
  });

  it('stops at Ctrl-C and leaves no process', async () => {
    berth.signalGroup('SIGINT');

    await berth.ended();
    await berth.untilNoProcess();
    expect(berth.output).toContain('Ctrl-C');
  });

  it('starts again with its earlier state', async () => {
    const output = await startAndWait();

    expect(output).toContain('Restarted one node');
    expect(output).not.toContain('cdk');
    const { body } = await person.get('/api/workspaces');
    expect(body.workspaces).toHaveLength(1);
    await expectUsable('after-ctrl-c');
  });

  it('is not harmed by a second start, which is refused', async () => {
    const recorded = berth.pidOf('main');
    const second = new NpmStart(stateDir, port);

    expect(await second.ended()).toBe(1);
    expect(second.output).toContain('Berth is already running in this checkout');
    expect(berth.pidOf('main')).toBe(recorded);
    await expectUsable('after-a-second-start');
  });

  it('leaves no process when its process group is killed, and starts again with its earlier state', async () => {
    berth.signalGroup('SIGKILL');
    await berth.ended();
    await berth.untilNoProcess();

    const output = await startAndWait();

    expect(output).not.toContain('cdk');
    await expectUsable('after-the-kill');
  });

  it('stops with a reason when its emulator is killed, and leaves no process', async () => {
    process.kill(berth.pidOf('emulator'), 'SIGKILL');

    expect(await berth.ended()).not.toBe(0);
    await berth.untilNoProcess();
    expect(berth.output).toContain('The AWS emulator ended unexpectedly');
  });

  it('deploys everything again after that, reports it, and ends nodes that no row names', async () => {
    expect(await startAndWait()).toContain('everything is deployed again');

    person = await Person.signIn(berth.url, 'octo');
    const { body } = await person.get('/api/workspaces');
    expect(body.workspaces).toEqual([]);
    await until(
      'its machines are gone',
      () => listInstances(stateDir).every(({ state }) => state === 'terminated') || undefined,
    );
  });

  it('leaves no process when only npm is killed', async () => {
    berth.signal('SIGKILL');

    await berth.untilNoProcess();
  });
});
