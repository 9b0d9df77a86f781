import type { TokenLine } from '../code/highlighter.js';
import { languageOf } from '../code/languages.js';
import { useTokenLines } from '../code/use-token-lines.js';
import type { DiffLine } from './unified-diff.js';

/** Tokens of the lines of a diff, by their row. */
export type RowTokens = ReadonlyMap<number, TokenLine>;

type Side = 'added' | 'removed';

/** The lines of one side of a diff: what both have, and what only this one has. */
const linesOn = (lines: readonly DiffLine[], side: Side): readonly DiffLine[] =>
  lines.filter(({ kind }) => kind === 'context' || kind === side);

export const textOn = (lines: readonly DiffLine[], side: Side): string =>
  linesOn(lines, side)
    .map(({ text }) => text)
    .join('\n');

/** Each side is read as the text that it is, so that what spans lines keeps its meaning. */
export function useDiffTokens(lines: readonly DiffLine[], path: string): RowTokens {
  const language = languageOf(path);
  const before = useTokenLines(textOn(lines, 'removed'), language);
  const after = useTokenLines(textOn(lines, 'added'), language);
  return new Map([...byRow(linesOn(lines, 'removed'), before), ...byRow(linesOn(lines, 'added'), after)]);
}

export function byRow(
  lines: readonly DiffLine[],
  tokens: readonly TokenLine[] | undefined,
): readonly (readonly [number, TokenLine])[] {
  if (tokens?.length !== lines.length) return [];
  return lines.map(({ row }, index) => [row, tokens[index] ?? []]);
}
