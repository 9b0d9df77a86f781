import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ulid } from 'ulid';
import { buildBinary } from '../../scripts/agent-binaries/build-binary.js';
import { findPlatform } from '../../scripts/agent-binaries/platforms.js';
import { builtAgent } from '../../scripts/builds/built.js';
import { type Measurement, median } from './measurement.js';

const rounds = 9;

/**
 * From the start of the process until the agent listens: the single executable against `node
 * main.js`, in the same run and turn by turn. Nothing on a machine other than linux/amd64.
 */
export async function measureAgentStart(): Promise<readonly Measurement[]> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return [];
  const work = mkdtempSync(join(tmpdir(), 'berth-bench-agent-'));
  try {
    const bundle = await builtAgent();
    const { file, size } = await buildBinary(findPlatform('linux-amd64'), work);
    const samples: { node: number; binary: number }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      samples.push({
        node: await startMs([process.execPath, bundle], work),
        binary: await startMs([join(work, file)], work),
      });
    }
    const ratio = median(samples.map(({ node, binary }) => binary / node));
    return [
      { name: 'Agent executable (linux/amd64)', value: Math.round(size / 1024), unit: 'KB' },
      { name: '`node main.js` until it listens', value: medianOf(samples, 'node'), unit: 'ms' },
      { name: 'Agent executable until it listens', value: medianOf(samples, 'binary'), unit: 'ms' },
      { name: 'Executable / `node main.js`', value: Math.round(ratio * 100) / 100, unit: 'x', limit: 1.5 },
    ];
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const medianOf = (samples: readonly { node: number; binary: number }[], of: 'node' | 'binary') =>
  Math.round(median(samples.map((sample) => sample[of])));

async function startMs([file = '', ...args]: readonly string[], work: string): Promise<number> {
  const stateDir = mkdtempSync(join(work, 'state-'));
  const began = performance.now();
  const child = spawn(file, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      // As the unit of the node image has it.
      MALLOC_ARENA_MAX: '1',
      NODE_OPTIONS: '--max-semi-space-size=2',
      NODE_ROLE: 'standalone',
      NODE_ID: ulid(),
      // Nobody answers there: the agent listens before it looks for its control plane.
      CONTROL_PLANE_URL: 'http://127.0.0.1:9',
      VM_AGENT_HOST: '127.0.0.1',
      VM_AGENT_PORT: '0',
      VM_AGENT_STATE_DIR: stateDir,
      WORKSPACE_BASE_DIR: join(stateDir, 'workspaces'),
      CALLBACK_TOKEN_FILE: join(stateDir, 'token'),
    },
  });
  const ended = once(child, 'exit');
  for await (const line of createInterface(child.stdout)) if (line.includes('"Agent listens"')) break;
  const took = performance.now() - began;
  child.kill('SIGKILL');
  await ended;
  return took;
}
