import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { pipeline as pipelined } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { agentVersion } from '../node/agent-version.js';
import type { PressureReport } from '../pressure/resource-guard.js';
import { redactText } from '../shared/redact.js';
import { untilAborted } from '../shared/with-timeout.js';
import type { EventStore } from '../store/event-store.js';
import { type DebugMember, debugMembers } from './debug-members.js';
import type { LogRing } from './log-ring.js';
import type { MetricsStore } from './metrics-store.js';
import type { NodeContainers } from './node-containers.js';
import { tarHeader, tarPadding } from './tar-header.js';

/** Longer members are truncated. */
const maxMemberBytes = 64 * 1_024 * 1_024;

export interface DebugSources {
  readonly nodeId: string;
  readonly stateDir: string;
  readonly events: EventStore;
  readonly metrics: MetricsStore;
  /** Null in the standalone role. */
  readonly pressure: () => PressureReport | null;
  readonly ring: LogRing;
  readonly containers: NodeContainers;
  /** Folder of the machine's log files. */
  readonly logFolder: string;
  /** Lines of each log. */
  readonly logLimit: number;
  readonly packageTimeoutMs: number;
}

interface MissingMember {
  readonly name: string;
  readonly reason: string;
}

/**
 * The diagnostic files of this node as a gzipped tar without secrets, created while it is read. The
 * manifest at its end names the members that are missing or timed out.
 */
export function debugPackage(sources: DebugSources): Readable {
  return pipeline(Readable.from(archive(sources), { objectMode: false }), createGzip(), () => undefined);
}

async function* archive(sources: DebugSources): AsyncGenerator<Buffer> {
  const { nodeId, packageTimeoutMs } = sources;
  const signal = AbortSignal.timeout(packageTimeoutMs);
  const folder = await mkdtemp(join(tmpdir(), 'debug-'));
  const members: string[] = [];
  const missing: MissingMember[] = [];
  try {
    for (const member of debugMembers(sources)) {
      const file = join(folder, 'member');
      const reason = await spool(member, file, signal);
      if (reason === null) {
        yield* packed(member.name, file);
        members.push(member.name);
      } else missing.push({ name: member.name, reason });
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const timestamp = new Date().toISOString();
  const manifest = Buffer.from(
    JSON.stringify({ nodeId, timestamp, agent: agentVersion, members, missing }, null, 2),
  );
  yield Buffer.concat([tarHeader('manifest.json', manifest.length), manifest, tarPadding(manifest.length)]);
  yield Buffer.alloc(1_024);
}

/**
 * Writes a member to a file, because its header needs its size. Returns the reason of a failure.
 */
async function spool(member: DebugMember, file: string, signal: AbortSignal): Promise<string | null> {
  if (signal.aborted) return 'There was no time left';
  try {
    const content = await untilAborted(member.read(signal), signal);
    await pipelined(bounded(content), createWriteStream(file, { mode: 0o600 }), { signal });
    return null;
  } catch (error) {
    if (signal.aborted) return 'Timed out';
    return redactText(error instanceof Error ? error.message : String(error));
  }
}

async function* bounded(content: AsyncIterable<string | Buffer>): AsyncGenerator<string | Buffer> {
  let size = 0;
  for await (const part of content) {
    size += Buffer.byteLength(part);
    if (size > maxMemberBytes) return;
    yield part;
  }
}

async function* packed(name: string, file: string): AsyncGenerator<Buffer> {
  const { size } = await stat(file);
  yield tarHeader(name, size);
  yield* createReadStream(file, { end: Math.max(0, size - 1) });
  yield tarPadding(size);
}
