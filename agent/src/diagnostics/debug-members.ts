import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { spawn } from '../node/process-priority.js';
import { redactText } from '../shared/redact.js';
import type { DebugSources } from './debug-package.js';
import { exportedDatabase } from './exported-database.js';
import { tailOf } from './file-tail.js';
import { redactedLines } from './redacted-lines.js';
import { systemInfo } from './system-info.js';

const journalLines = 50_000;

/** One file of the package. `read` fails when this machine does not have its source. */
export interface DebugMember {
  readonly name: string;
  readonly read: (signal: AbortSignal) => Promise<AsyncIterable<string | Buffer>>;
}

/** All files of the package, in order. */
export function debugMembers(sources: DebugSources): readonly DebugMember[] {
  const { nodeId, events, metrics, ring, containers, logLimit, logFolder } = sources;
  return [
    data('system-info.json', async () => json(await systemInfo(sources))),
    data('vm-agent.log', async () => ring.list().slice(-logLimit).map(line)),
    data('provisioning-timings.txt', async () => timings(sources)),
    data('boot-events.json', async () => json(bootSteps(sources))),
    database(`events-${nodeId}.db`, events),
    database(`metrics-${nodeId}.db`, metrics),
    data('docker-ps.json', async () => json(await containers.all())),
    data('docker-inspect.json', async () => json(await containers.inspect())),
    data('docker-logs.jsonl', async () => {
      const lines = await containers.logs(await containers.all(), logLimit);
      return lines.map(({ entry }) => line(entry));
    }),
    data('network.json', async () => json(networkInterfaces())),
    ...['cloud-init.log', 'cloud-init-output.log', 'syslog.log'].map((name) => logFile(name, logFolder)),
    ...['meminfo', 'net/dev', 'pressure/memory'].map(kernelFile),
    command('journald-full.log', ['journalctl', '--no-pager', '--lines', String(journalLines)]),
    command('dmesg.log', ['dmesg']),
    command('systemd-status.txt', ['systemctl', 'status', '--no-pager', '--lines', '0']),
    command('network.txt', ['ip', 'address']),
    command('network-routes.txt', ['ip', 'route']),
    command('network-sockets.txt', ['ss', '-tuna']),
    command('iptables.txt', ['iptables-save']),
    command('disk-usage.txt', ['df', '-h']),
    // Without arguments, which may contain secrets.
    command('processes.txt', ['ps', '-eo', 'pid,ppid,user,stat,rss,pcpu,etime,comm']),
  ];
}

function data(name: string, read: () => Promise<Iterable<string>>): DebugMember {
  return { name, read: async () => Readable.from(await read()) };
}

function json(value: unknown): Iterable<string> {
  return [redactText(JSON.stringify(value, null, 2))];
}

function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

function database(name: string, source: Parameters<typeof exportedDatabase>[0]): DebugMember {
  return { name, read: async () => (await exportedDatabase(source)).stream };
}

function logFile(name: string, folder: string): DebugMember {
  const path = join(folder, name === 'syslog.log' ? 'syslog' : name);
  return { name, read: async () => redactedLines(await tailOf(path)) };
}

function kernelFile(name: string): DebugMember {
  const read = async () => {
    // Files under /proc have no size.
    await using file = await open(`/proc/${name}`);
    return Readable.from([await file.readFile('utf8')]);
  };
  return { name: `proc-${name.replaceAll('/', '-')}.txt`, read };
}

/** The output of a program, with its exit code when it failed. */
function command(name: string, [program = '', ...args]: readonly string[]): DebugMember {
  const read = async (signal: AbortSignal) => {
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' },
      signal,
    });
    await once(child, 'spawn');
    // The abort is an error too; the reader handles it through the signal.
    child.on('error', () => undefined);
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    child.stderr.setEncoding('utf8');
    let complaint = '';
    child.stderr.on('data', (text: string) => {
      complaint = (complaint + text).slice(-4_096);
    });
    return (async function* () {
      yield* redactedLines(child.stdout);
      const code = await ended;
      if (code !== 0) yield `\n[${program} ended with ${code}] ${redactText(complaint)}\n`;
    })();
  };
  return { name, read };
}

/** Boot-log steps of workspaces since the agent's start, from its own log. */
function bootSteps({ ring }: DebugSources) {
  return ring
    .list()
    .filter(({ message }) => message === 'Boot log')
    .map(({ timestamp, metadata }) => ({ timestamp, ...Object(metadata) }));
}

function* timings(sources: DebugSources): Generator<string> {
  for (const { timestamp, workspaceId, step, status, durationMs } of bootSteps(sources)) {
    if (durationMs !== undefined) yield `${timestamp} ${workspaceId} ${step} ${status} ${durationMs} ms\n`;
  }
}
