import type { Mutant } from './mutant.js';

const operators: readonly (readonly [string, string])[] = [
  [' === ', ' !== '],
  [' !== ', ' === '],
  [' && ', ' || '],
  [' || ', ' && '],
  [' < ', ' <= '],
  [' <= ', ' < '],
  [' > ', ' >= '],
  [' >= ', ' > '],
  [' + ', ' - '],
  [' - ', ' + '],
  ['return true', 'return false'],
  ['return false', 'return true'],
  ['if (!', 'if ('],
];
/** Comments, types and texts: what is replaced there changes nothing. */
const noCode = /^(?:\/\/|\/?\*|import |export type |type |interface |\||['"`])|log\.\w+\(/;

/** Each place of a source where an operator can be replaced. */
export function placesIn(source: string): readonly Omit<Mutant, 'file' | 'tests'>[] {
  return source.split('\n').flatMap((raw, index) => {
    const text = raw.trim();
    if (noCode.test(text)) return [];
    return operators.flatMap(([from, to]) => {
      const column = text.indexOf(from);
      return column === -1 ? [] : [{ line: index + 1, text, column, from, to }];
    });
  });
}
