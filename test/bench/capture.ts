import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { CaptureFigures } from './capture-program.js';
import { type Measurement, median } from './measurement.js';

/**
 * 100 MB of uncommitted work is captured, uploaded on loopback and restored by the agent's code,
 * against `tar | zstd -3` and `zstd -d | tar -x` of the same files.
 */
export async function measureCapture(): Promise<readonly Measurement[]> {
  const { captures, restores, megabytes } = await figuresOf(
    fork(fileURLToPath(new URL('capture-program.ts', import.meta.url))),
  );
  const ratios = captures.map(({ archiveMs, agentMs }) => agentMs / archiveMs);
  const unpackRatios = restores.map(({ archiveMs, agentMs }) => agentMs / archiveMs);
  const name = `Capture of ${megabytes} MB, with its upload on loopback`;
  return [
    inMs(`tar | zstd -3 of ${megabytes} MB`, median(captures.map(({ archiveMs }) => archiveMs))),
    inMs(`${name}, median of ${captures.length}`, median(captures.map(({ agentMs }) => agentMs))),
    inMs('— slowest', Math.max(...captures.map(({ agentMs }) => agentMs))),
    { ...ratio('— against tar | zstd -3, median', median(ratios)), limit: 2 },
    { ...ratio('— against tar | zstd -3, worst round', Math.max(...ratios)), limit: 2 },
    inMs(`zstd -d | tar -x of ${megabytes} MB`, median(restores.map(({ archiveMs }) => archiveMs))),
    inMs(
      `Restore of ${megabytes} MB, median of ${restores.length}`,
      median(restores.map(({ agentMs }) => agentMs)),
    ),
    ratio('— against zstd -d | tar -x, median', median(unpackRatios)),
  ];
}

async function figuresOf(program: ChildProcess): Promise<CaptureFigures> {
  const ended = once(program, 'exit').then(([code]) => {
    throw new Error(`The program of the measurement exited with ${code}`);
  });
  const [figures] = await Promise.race([once(program, 'message'), ended]);
  return figures;
}

const inMs = (name: string, ms: number): Measurement => ({ name, value: Math.round(ms), unit: 'ms' });
const ratio = (name: string, value: number): Measurement => ({
  name,
  value: Number(value.toFixed(2)),
  unit: 'x',
});
