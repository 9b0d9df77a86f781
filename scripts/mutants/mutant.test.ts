import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../run.mjs';
import { mutated, readSample } from './mutant.js';
import { placesIn } from './places.js';

const source = 'const a = 1;\n  if (a === b) {\n    // a === b\n  }\n  if (a === b) {\n';

describe('a mutant', () => {
  const [, second] = placesIn(source);
  const mutant = { file: 'a.ts', tests: [], ...(second ?? never()) };

  it('is at an operator, not in a comment', () => {
    expect(placesIn(source).map(({ line, from }) => [line, from])).toEqual([
      [2, ' === '],
      [5, ' === '],
    ]);
  });

  it('changes one operator of the nearest line with its text', () => {
    expect(mutated(source, mutant)?.split('\n')[4]).toBe('  if (a !== b) {');
    expect(mutated(`\n${source}`, mutant)?.split('\n')[5]).toBe('  if (a !== b) {');
    expect(mutated(source.replaceAll('b', 'c'), mutant)).toBeUndefined();
  });
});

describe('the sample', () => {
  const sample = readSample(root);

  it('has 100 places', () => {
    expect(new Set(sample.map((mutant) => JSON.stringify(mutant))).size).toBe(100);
  });

  it('is mostly in the sources of today', () => {
    const gone = sample.filter(
      (mutant) =>
        !existsSync(join(root, mutant.file)) ||
        mutated(readFileSync(join(root, mutant.file), 'utf8'), mutant) === undefined,
    );

    expect(gone.length).toBeLessThan(20);
  });
});

function never(): never {
  throw new Error('There is no second place.');
}
