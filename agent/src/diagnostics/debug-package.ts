import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { EventStore } from '../events/event-store.js';
import { redactText } from '../log/redact.js';
import type { LogRing } from './log-ring.js';
import type { NodeContainers } from './node-containers.js';
import { systemInfo } from './system-info.js';

/** A member is cut at its front: what matters is its end. */
const maxMemberBytes = 4 * 1_024 * 1_024;
const machineFiles = [
  '/var/log/cloud-init.log',
  '/var/log/cloud-init-output.log',
  '/proc/meminfo',
  '/proc/net/dev',
];

export interface DebugSources {
  readonly nodeId: string;
  readonly stateDir: string;
  readonly events: EventStore;
  readonly ring: LogRing;
  readonly containers: NodeContainers;
}

/** Everything that helps to understand this node, as a gzipped tar that is made while it is read; no secret is in it. */
export function debugPackage(sources: DebugSources): Readable {
  return Readable.from(archive(sources)).pipe(createGzip());
}

async function* archive(sources: DebugSources): AsyncGenerator<Buffer> {
  const timestamp = new Date().toISOString();
  yield* member('manifest.json', json({ nodeId: sources.nodeId, timestamp }));
  for (const [name, read] of members(sources)) {
    // What cannot be read is told in its place; the rest is still worth having.
    const bytes = await read().catch((error: unknown) => Buffer.from(redactText(String(error))));
    yield* member(name, bytes);
  }
  yield Buffer.alloc(1_024);
}

function members(sources: DebugSources): [string, () => Promise<Buffer>][] {
  const { nodeId, stateDir, events, ring, containers } = sources;
  return [
    ['system-info.json', async () => json(await systemInfo(stateDir, containers))],
    ['vm-agent.log', async () => lines(ring.list())],
    ['docker-ps.json', async () => json(await containers.list())],
    ['docker-logs.jsonl', async () => lines(await containers.logs())],
    ['network.json', async () => json(networkInterfaces())],
    [`events-${nodeId}.db`, () => copyOf(events)],
    ...machineFiles.map((path): [string, () => Promise<Buffer>] => [
      path.slice(1).replaceAll('/', '-'),
      async () => Buffer.from(redactText(await tailOf(path))),
    ]),
  ];
}

async function tailOf(path: string): Promise<string> {
  await using file = await open(path);
  const { size } = await file.stat();
  // Files of the kernel have no size until they are read.
  const position = size > maxMemberBytes ? size - maxMemberBytes : 0;
  const { buffer, bytesRead } = await file.read(Buffer.alloc(maxMemberBytes), { position });
  return buffer.toString('utf8', 0, bytesRead);
}

/** A consistent copy of the events' database. */
export async function copyOf(events: EventStore): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'events-'));
  try {
    events.copyTo(join(folder, 'copy.db'));
    return await readFile(join(folder, 'copy.db'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function json(value: unknown): Buffer {
  return Buffer.from(redactText(JSON.stringify(value, null, 2)));
}

function lines(values: readonly unknown[]): Buffer {
  return Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''));
}

function* member(name: string, content: Buffer): Generator<Buffer> {
  const isWhole = name.endsWith('.db');
  const bytes = isWhole ? content : content.subarray(Math.max(0, content.length - maxMemberBytes));
  yield header(name, bytes.length);
  yield bytes;
  yield Buffer.alloc((512 - (bytes.length % 512)) % 512);
}

/** Of a plain file, as POSIX ustar. */
function header(name: string, size: number): Buffer {
  const block = Buffer.alloc(512);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
  block.write(name.slice(0, 99), 0);
  block.write(octal(0o600, 7) + octal(0, 7) + octal(0, 7), 100);
  block.write(octal(size, 11) + octal(Math.floor(Date.now() / 1_000), 11), 124);
  block.write(' '.repeat(8), 148);
  block.write('0', 156);
  block.write('ustar\x0000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}
