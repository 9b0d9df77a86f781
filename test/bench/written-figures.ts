import { readFileSync, writeFileSync } from 'node:fs';

interface PartFigures {
  readonly part: string;
  readonly figures: string;
}

/**
 * Puts the figures between the part's two marks of the document; all else stays. @throws without
 * the marks
 */
export function writeFigures(file: string, { part, figures }: PartFigures): void {
  const [begin, end] = [`<!-- ${part}: begin -->`, `<!-- ${part}: end -->`];
  const text = readFileSync(file, 'utf8');
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`${file} has no ${begin} … ${end} to write between`);
  writeFileSync(file, `${text.slice(0, from + begin.length)}\n\n${figures}\n\n${text.slice(to)}`);
}
