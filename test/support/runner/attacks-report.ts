import type { Reporter, TestModule } from 'vitest/node';
import { ringsOf } from '../../adversary/rings.js';

declare module 'vitest' {
  interface TaskMeta {
    /** How often a test repeats its attack; once without it. */
    attempts?: number;
  }
}

/** An attack as it ended: held, broken, or not run on this machine. */
export interface Attack {
  readonly ring: string;
  readonly state: 'passed' | 'failed' | 'skipped' | 'pending';
  readonly attempts: number;
}

const header = ['Attacks on', 'Tried', 'Attempts', 'Held', 'Broken', 'Not run'];

/** Prints by ring of test/adversary what a run tried and what held. */
export class AttacksReport implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const text = attacksText(modules.flatMap(attacksOf));
    if (text !== '') process.on('exit', () => process.stdout.write(text));
  }
}

function attacksOf(module: TestModule): readonly Attack[] {
  const file = /^test\/adversary\/(.+)$/.exec(module.relativeModuleId)?.[1];
  if (file === undefined) return [];
  const [ring = file] = ringsOf(file);
  return [...module.children.allTests()].map((test) => ({
    ring,
    state: test.result().state,
    attempts: test.meta().attempts ?? 1,
  }));
}

export function attacksText(attacks: readonly Attack[]): string {
  if (attacks.length === 0) return '';
  const rings = [...new Set(attacks.map(({ ring }) => ring))].toSorted();
  const rows = rings.map((ring) =>
    rowOf(
      ring,
      attacks.filter((attack) => attack.ring === ring),
    ),
  );
  const lines = [header, ...rows, rowOf('all', attacks)].map(
    ([ring = '', ...counts]) => ` ${ring.padEnd(16)}${counts.map((count) => count.padStart(10)).join('')}`,
  );
  return `\n${lines.join('\n')}\n`;
}

function rowOf(ring: string, attacks: readonly Attack[]): readonly string[] {
  const [held, broken] = [attacks.filter(isHeld), attacks.filter(isBroken)];
  const tried = [...held, ...broken];
  const attempts = tried.reduce((sum, attack) => sum + attack.attempts, 0);
  const counts = [tried.length, attempts, held.length, broken.length, attacks.length - tried.length];
  return [ring, ...counts.map(String)];
}

const isHeld = ({ state }: Attack): boolean => state === 'passed';
const isBroken = ({ state }: Attack): boolean => state === 'failed';
