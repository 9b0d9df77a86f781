import { readFileSync, writeFileSync } from 'node:fs';

const begin = '<!-- figures: begin -->';
const end = '<!-- figures: end -->';

/** Puts the figures between the two marks of the document; the words around them stay. @throws without the marks */
export function writeFigures(file: string, figures: string): void {
  const text = readFileSync(file, 'utf8');
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`${file} has no ${begin} … ${end} to write between`);
  writeFileSync(file, `${text.slice(0, from + begin.length)}\n\n${figures}\n${text.slice(to)}`);
}
