import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { getPriority, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { StartedWorkspaces } from '../../integration/agent/started-workspaces.js';
import { type Measurement, median, percentile } from '../measurement.js';
import { EchoLink, sampleEchoes } from './echo.js';
import { type LinkTarget, TerminalLink } from './terminal-link.js';
import { linkThroughput, payloadBytes, rawThroughput } from './throughput.js';

const echoSamples = 400;
const floodSamples = 200;
const throughputRounds = 11;
const floods = 10;
const idleSockets = 400;

/**
 * The agent's terminals beside a bare server of the same parts, in the same minutes under the same
 * client.
 */
export async function measureTerminals(): Promise<readonly Measurement[]> {
  const withHundred = await residentWithTerminals();
  await using started = await startAgent(5);
  const { agent } = started;
  const bare = await BareServer.start(agent);
  try {
    const target = await targetOf(started, 0);
    const memory = await measureMemory({ pid: agent.pid, target }, bare);
    return [
      ...(await measureEcho(target, bare.target)),
      ...(await measureThroughput(target)),
      // A workspace has no more than twenty terminals.
      ...(await measureNeighbours(await targetOf(started, 1))),
      ...memory,
      { name: 'Agent, resident, 100 terminals', value: withHundred, unit: 'MiB', limit: 110 },
    ];
  } finally {
    await bare.stop();
  }
}

const startAgent = (workspaces: number) =>
  StartedWorkspaces.start('standalone', workspaces, { HEARTBEAT_INTERVAL: '60s' });

async function targetOf(
  { agent, fake, workspaceIds }: StartedWorkspaces,
  index: number,
): Promise<LinkTarget> {
  return {
    kind: 'agent',
    url: `wss://127.0.0.1:${agent.port}/terminal/ws/multi?token=${await fake.terminal(workspaceIds[index] ?? '')}`,
    ca: agent.certificate(),
  };
}

interface Server {
  readonly pid: number;
  readonly target: LinkTarget;
}

/** At rest, and with many sockets that rest. */
async function measureMemory(agent: Server, bare: BareServer): Promise<readonly Measurement[]> {
  await delay(3_000);
  const [idle, bareIdle] = [residentMiB(agent.pid), residentMiB(bare.pid)];
  const [socket, bareSocket] = [await idleSocketKb(agent), await idleSocketKb(bare.idle)];
  return [
    { name: 'Agent, resident, idle', value: idle, unit: 'MiB', limit: 75 },
    { name: 'Bare server, resident, idle', value: bareIdle, unit: 'MiB' },
    { name: `An idle socket of the agent (mean of ${idleSockets})`, value: socket, unit: 'KB' },
    { name: 'An idle socket of the bare server', value: bareSocket, unit: 'KB' },
    {
      name: 'An idle socket, agent / bare server',
      value: hundredths(socket / bareSocket),
      unit: 'x',
      limit: 1.25,
    },
  ];
}

async function measureEcho(target: LinkTarget, bare: LinkTarget): Promise<readonly Measurement[]> {
  const links = [await EchoLink.open(target, 'echo'), await EchoLink.open(bare, 'echo')];
  await sampleEchoes(links, 20);
  const [agentMs = [], bareMs = []] = await sampleEchoes(links, echoSamples);
  for (const link of links) link.close();
  const [p50, bareP50] = [median(agentMs), median(bareMs)];
  const [p99, bareP99] = [percentile(agentMs, 0.99), percentile(bareMs, 0.99)];
  return [
    { name: 'Echo of a key, agent, p50', value: hundredths(p50), unit: 'ms' },
    { name: 'Echo of a key, agent, p99', value: hundredths(p99), unit: 'ms' },
    { name: 'Echo of a key, bare server, p50', value: hundredths(bareP50), unit: 'ms' },
    { name: 'Echo of a key, bare server, p99', value: hundredths(bareP99), unit: 'ms' },
    {
      name: 'Echo of a key, agent / bare server, p50',
      value: hundredths(p50 / bareP50),
      unit: 'x',
      limit: 1.2,
    },
    {
      name: 'Echo of a key, agent / bare server, p99',
      value: hundredths(p99 / bareP99),
      unit: 'x',
      limit: 2,
    },
  ];
}

async function measureThroughput(target: LinkTarget): Promise<readonly Measurement[]> {
  const folder = mkdtempSync(join(tmpdir(), 'berth-bench-'));
  const file = join(folder, 'text');
  writeFileSync(file, `${'a line of text as a log has it '.repeat(4)}\n`.repeat(payloadBytes / 125));
  const ratios: number[] = [];
  const agentRates: number[] = [];
  for (let round = 0; round < throughputRounds; round++) {
    const raw = await rawThroughput(file);
    const ours = await linkThroughput(target, `rate-${round}`, file);
    agentRates.push(ours);
    ratios.push(ours / raw);
  }
  rmSync(folder, { recursive: true });
  return [
    { name: 'Output at a client of the agent', value: Math.round(median(agentRates)), unit: 'MiB/s' },
    {
      name: 'Output, agent / raw reader of the PTY',
      value: hundredths(median(ratios)),
      unit: 'x',
      atLeast: 0.9,
    },
  ];
}

async function measureNeighbours(target: LinkTarget): Promise<readonly Measurement[]> {
  const script = fileURLToPath(new URL('flood-client.ts', import.meta.url));
  const flood = spawn('tsx', [script, String(floods), JSON.stringify(target)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface(flood.stdout);
  await once(lines, 'line');
  const link = await EchoLink.open(target, 'quiet');
  const [samples = []] = await sampleEchoes([link], floodSamples);
  link.close();
  flood.stdin.end();
  await once(flood, 'exit');
  const name = `Echo of a key beside ${floods} flooding neighbours`;
  return [
    { name: `${name}, p50`, value: hundredths(median(samples)), unit: 'ms' },
    { name: `${name}, p99`, value: hundredths(percentile(samples, 0.99)), unit: 'ms', limit: 10 },
  ];
}

/**
 * Of an agent that has done nothing else: twenty terminals in each of five workspaces, each with a
 * prompt and a command's output.
 */
async function residentWithTerminals(): Promise<number> {
  await using started = await startAgent(5);
  const links: TerminalLink[] = [];
  for (let index = 0; index < 100; index++) {
    const link = await TerminalLink.open(await targetOf(started, Math.floor(index / 20)), `one-of-${index}`);
    await link.run('echo RE"AD"Y\n', 'READY');
    links.push(link);
  }
  await delay(3_000);
  const resident = residentMiB(started.agent.pid);
  for (const link of links) link.close();
  return resident;
}

/** Once a few have been there: code that runs for the first time is no part of a socket. */
async function idleSocketKb({ pid, target }: Server): Promise<number> {
  const open = (count: number) =>
    Promise.all(Array.from({ length: count }, () => TerminalLink.open({ ...target, kind: 'bare' }, 'none')));
  const first = await open(50);
  await delay(3_000);
  const before = residentMiB(pid);
  const links = await open(idleSockets);
  await delay(3_000);
  const after = residentMiB(pid);
  for (const link of [...first, ...links]) link.close();
  return hundredths(((after - before) * 1_024) / idleSockets);
}

class BareServer {
  private constructor(
    private readonly child: ChildProcess,
    readonly target: LinkTarget,
  ) {}

  static async start(agent: StartedWorkspaces['agent']): Promise<BareServer> {
    const ca = agent.certificate();
    const script = fileURLToPath(new URL('bare-server.ts', import.meta.url));
    const child = spawn(process.execPath, [script], {
      env: {
        PATH: process.env.PATH,
        // As the agent has it.
        MALLOC_ARENA_MAX: '1',
        NODE_OPTIONS: '--max-semi-space-size=2',
        CERTIFICATE: ca,
        KEY: readFileSync(join(agent.folder, 'state/tls/node.key'), 'utf8'),
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const [port] = await once(createInterface(child.stdout), 'line');
    setPriority(child.pid ?? 0, getPriority(agent.pid));
    return new BareServer(child, { kind: 'bare', url: `wss://127.0.0.1:${port}`, ca });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Where it opens no shell. */
  get idle(): Server {
    return { pid: this.pid, target: { ...this.target, url: `${this.target.url}/idle` } };
  }

  async stop(): Promise<void> {
    this.child.stdin?.end();
    await once(this.child, 'exit');
  }
}

function residentMiB(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 102.4) / 10;
}

const hundredths = (value: number): number => Math.round(value * 100) / 100;
