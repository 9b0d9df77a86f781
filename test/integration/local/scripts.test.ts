import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePortRange } from '../../../local/processes/ports.js';
import { identify } from '../../../local/processes/process-identity.mjs';
import { RunLedger } from '../../../local/processes/run-ledger.js';
import { ownerFile } from '../../../local/processes/state-owner.mjs';

const root = process.cwd();
let folder: string;
let stateDir: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-scripts-'));
  stateDir = join(folder, 'state');
  mkdirSync(stateDir);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/**
 * A PATH with nothing but Node's own folder, links to what is there, and commands that print a
 * version.
 */
function pathWith(versions: Readonly<Record<string, string>>): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  symlinkSync('/bin/sh', join(bin, 'sh'));
  symlinkSync(process.execPath, join(bin, 'node'));
  for (const [name, version] of Object.entries(versions)) {
    writeFileSync(join(bin, name), `#!/bin/sh\necho "${name} ${version}"\n`);
    chmodSync(join(bin, name), 0o755);
  }
  return bin;
}

async function runScript(args: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { BERTH_STATE_DIR: stateDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  const [code] = await once(child, 'close');
  return { code, output };
}

const start = (env: NodeJS.ProcessEnv) => runScript(['scripts/start.mjs'], env);
const wholePath = [dirname(process.execPath), process.env.PATH].join(delimiter);
const aStack = /\n\s+at .*:\d+:\d+/;

describe('npm start on a machine without a required program', () => {
  const present = { npm: '11.0.0', git: '2.40.0', python3: '3.11.0' };

  it.each([
    ['git', { npm: '11.0.0', python3: '3.11.0' }, /needs git, and found none\. Install it/],
    ['npm', { git: '2.40.0', python3: '3.11.0' }, /needs npm 10 or later, and found none\. Install it/],
    ['a new npm', { ...present, npm: '9.8.1' }, /needs npm 10 or later, and found 9\.8\.1\. Install it/],
    ['Python', { npm: '11.0.0', git: '2.40.0' }, /needs Python 3\.10 or later .* found none\. Install it/],
    [
      'a new Python',
      { ...present, python3: '3.9.2' },
      /needs Python 3\.10 or later .* found none\. Install it/,
    ],
  ])('names the missing program and its installation: %s', async (_what, versions, sentence) => {
    const { code, output } = await start({ PATH: pathWith(versions) });

    expect(code).toBe(1);
    expect(output.replaceAll('\n', ' ')).toMatch(sentence);
    expect(output).not.toMatch(aStack);
  });

  it.each(['bench', 'nemesis:agent', 'nemesis:cloud'])('checks the machine before %s, too', async (name) => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const [, ...args] = String(scripts[name]).split(' ');

    const { code, output } = await runScript(args, { PATH: pathWith({ npm: '11.0.0', python3: '3.11.0' }) });

    expect(code).toBe(1);
    expect(output).toContain('needs git, and found none.');
    expect(output).not.toMatch(aStack);
  });

  it('needs no Python with AWS_ENDPOINT_URL, and reports an endpoint that does not answer', async () => {
    const port = await freePortRange(5);
    const { code, output } = await start({
      PATH: wholePath,
      BERTH_PYTHON: '/nowhere',
      BERTH_NODE_ROLE: 'standalone',
      BERTH_PORT: String(port),
      AWS_ENDPOINT_URL: `http://127.0.0.1:${port + 4}`,
    });

    expect(code).toBe(1);
    expect(output).toContain('and no AWS emulator answers there');
    expect(output).not.toMatch(aStack);
  });

  it('names the port that is taken and leaves no process behind', async () => {
    const port = await freePortRange(4);
    const other = createServer().listen({ port: port + 1, host: '127.0.0.1' });
    await once(other, 'listening');
    try {
      const { code, output } = await start({ PATH: wholePath, BERTH_PORT: String(port) });

      expect(code).toBe(1);
      expect(output).toContain(`Port ${port + 1} (emulator) is taken by another program.`);
      expect(output).not.toMatch(aStack);
      expect(existsSync(join(stateDir, 'run/main.json'))).toBe(false);
      expect(existsSync(join(stateDir, ownerFile))).toBe(false);
    } finally {
      other.close();
    }
  });
});

const readme = readFileSync(join(root, 'README.md'), 'utf8');
const ofAws = readme.slice(readme.indexOf('## On AWS'), readme.indexOf('## As an API client'));
const verbsOfReadme = [...new Set([...ofAws.matchAll(/`npm run ([a-z]+)/g)].map(([, verb = '']) => verb))];

describe('the commands of README for AWS', () => {
  it('are all tried here', () => {
    expect(verbsOfReadme.toSorted()).toEqual(['bootstrap', 'deploy', 'destroy', 'diff', 'release']);
  });

  it.each(verbsOfReadme)('%s asks for an AWS account when no credentials are set', async (verb) => {
    const { code, output } = await runScript(['scripts/cloud.mjs', verb], {
      PATH: wholePath,
      HOME: folder,
      AWS_EC2_METADATA_DISABLED: 'true',
    });

    expect(code).toBe(1);
    expect(output).toContain('No AWS account is configured. Set AWS_PROFILE');
    expect(output).toContain(`then run: npm run ${verb}`);
    expect(output).not.toMatch(aStack);
  });

  it.each(verbsOfReadme)('%s refuses an emulator and its credentials', async (verb) => {
    const path = { PATH: wholePath };
    const endpoint = await runScript(['scripts/cloud.mjs', verb], {
      ...path,
      AWS_ENDPOINT_URL: 'http://localhost:1',
    });
    const credentials = await runScript(['scripts/cloud.mjs', verb], { ...path, AWS_ACCESS_KEY_ID: 'test' });

    expect([endpoint.code, credentials.code]).toEqual([1, 1]);
    expect(endpoint.output).toContain('needs a real AWS account. Unset it');
    expect(credentials.output).toContain('the key of an emulator');
  });
});

describe('npm run reset', () => {
  const reset = () => runScript(['scripts/reset.mjs'], { PATH: wholePath });

  it('deletes the state and keeps the installed emulator', async () => {
    for (const name of ['venv', 'harnesses', 'emulator', 'logs']) mkdirSync(join(stateDir, name));

    const { code, output } = await reset();

    expect([code, output.trim()]).toEqual([
      0,
      'Deleted: emulator, logs. The next npm start deploys everything again.',
    ]);
    expect(readdirSync(stateDir).toSorted()).toEqual(['harnesses', 'venv']);
    expect((await reset()).output.trim()).toBe('Nothing to delete.');
  });
});

describe('a laptop cloud that runs', () => {
  const commands: readonly [string, readonly string[], NodeJS.ProcessEnv][] = [
    ['a second start', ['scripts/start.mjs'], {}],
    ['a start at another port', ['scripts/start.mjs'], { BERTH_PORT: '9000' }],
    ['a start with a wrong port', ['scripts/start.mjs'], { BERTH_PORT: 'abc' }],
    ['a start with a wrong option', ['scripts/start.mjs', '--wrong'], {}],
    ['a reset', ['scripts/reset.mjs'], {}],
  ];

  // The script runs until the cloud has ended; its main process a little longer when it is killed.
  describe.each([ownerFile, 'run/main.json'])('known by %s', (file) => {
    it('is not touched by any command that is refused', async () => {
      for (const name of ['run', 'emulator', 'ec2']) mkdirSync(join(stateDir, name));
      writeFileSync(join(stateDir, file), JSON.stringify(identify(process.pid)));
      const emulator = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
      await once(emulator, 'spawn');
      new RunLedger(join(stateDir, 'run')).record('emulator', emulator.pid ?? 0);
      const before = readdirSync(stateDir, { recursive: true });

      for (const [what, args, env] of [...commands, ...commands]) {
        const { code, output } = await runScript(args, { PATH: wholePath, ...env });

        expect([what, code]).toEqual([what, 1]);
        expect(output).toContain(`Berth is already running in this checkout (process ${process.pid}).`);
      }

      expect(readdirSync(stateDir, { recursive: true })).toEqual(before);
      expect([emulator.exitCode, emulator.signalCode]).toEqual([null, null]);
      const ended = once(emulator, 'exit');
      emulator.kill();
      await ended;
    });
  });

  it('that was killed is ended by a reset, and its state is deleted', async () => {
    for (const name of ['run', 'emulator']) mkdirSync(join(stateDir, name));
    const emulator = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    const ended = once(emulator, 'exit');
    await once(emulator, 'spawn');
    new RunLedger(join(stateDir, 'run')).record('emulator', emulator.pid ?? 0);
    writeFileSync(join(stateDir, ownerFile), JSON.stringify({ pid: process.pid, born: 'before' }));

    const { code } = await runScript(['scripts/reset.mjs'], { PATH: wholePath });

    expect(code).toBe(0);
    await ended;
    expect(readdirSync(stateDir)).toEqual([]);
  });

  it('has one owner when many begin at once', async () => {
    const began = await Promise.all(
      Array.from({ length: 4 }, () => runScript(['scripts/reset.mjs'], { PATH: wholePath })),
    );

    for (const { code, output } of began)
      expect(output).toMatch(code === 0 ? /Deleted|Nothing to delete/ : /already running/);
    expect(began.filter(({ code }) => code === 0).length).toBeGreaterThan(0);
  });
});
