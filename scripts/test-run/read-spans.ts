import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod/mini';

export const Moment = z.object({ at: z.number(), busy: z.number(), total: z.number() });
export type Moment = z.infer<typeof Moment>;

const Span = z.object({ ring: z.string(), part: z.enum(['whole', 'set-up']), from: Moment, to: Moment });
export type Span = z.infer<typeof Span>;

export function readSpans(folder: string): readonly Span[] {
  const path = join(folder, 'spans.jsonl');
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => Span.parse(JSON.parse(line)));
}

const cores = availableParallelism();

/** How many cores were busy on average between two moments, by this run and by others. */
export function coresBusy(from: Moment, to: Moment): number {
  const total = to.total - from.total;
  return total <= 0 ? 0 : ((to.busy - from.busy) / total) * cores;
}
