import { BuildFailed } from '../build-output.js';

const word = /(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\])+/gsu;
/** A quoted or escaped piece of a word. */
const quoted = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/gsu;

/** The words of a command line, as compose splits it: quotes and backslashes, no shell. */
export function commandWords(text: string): string[] {
  if (text.replace(word, '').trim() !== '')
    throw new BuildFailed(`The command has an open quote: ${text.slice(0, 200)}`);
  return [...text.matchAll(word)].map(([whole]) =>
    whole.replace(quoted, (_, ...[single, double, escaped]: string[]) =>
      [single, double?.replace(/\\(["\\$`])/g, '$1'), escaped].join(''),
    ),
  );
}
