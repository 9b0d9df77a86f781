/** An instruction of a Dockerfile, on one line. */
export interface Instruction {
  /** In upper case, without ONBUILD. */
  readonly name: string;
  readonly text: string;
}

type EscapeCharacter = '\\' | '`';

/** White space of Go, which includes U+0085. */
const leadingSpace = /^[\s\u0085]+/;
const onBuild = /^(?:onbuild[\s\u0085]+)+/i;
/** Engines differ in where they accept this directive. */
const escapeDirective = /^\s*#\s*escape\s*=\s*`/im;

/** `<<NAME`, with the name as the second group. */
export const hereDocument = /(?:^|\s)\d*<<-?(["']?)([A-Za-z_]\w*)\1(?=\s|$)/g;

/**
 * The instructions in their order, without the lines of here-documents; one list for each escape
 * character that may hold.
 */
export function readings(text: string): readonly (readonly Instruction[])[] {
  const used: readonly EscapeCharacter[] = escapeDirective.test(text) ? ['\\', '`'] : ['\\'];
  return used.map((character) => instructionsWith(text.split('\n'), character));
}

/**
 * The instructions, and in addition each line taken as a beginning. Engines differ in escape
 * directives and here-documents: an instruction that any engine sees is among these.
 */
export function possibleInstructions(text: string): readonly Instruction[] {
  const lines = text.split('\n');
  return (['\\', '`'] as const).flatMap((character) => [
    ...instructionsWith(lines, character),
    ...lines.flatMap((_, at) => instructionIn(joinedLine(lines, at, character).text)),
  ]);
}

function instructionsWith(lines: readonly string[], character: EscapeCharacter): readonly Instruction[] {
  const found: Instruction[] = [];
  for (let at = 0; at < lines.length; ) {
    const { text, next } = joinedLine(lines, at, character);
    const instructions = instructionIn(text);
    found.push(...instructions);
    at = instructions.reduce((line, instruction) => afterHereDocuments(lines, line, instruction), next);
  }
  return found;
}

/** The line after the here-documents of an instruction; those without an end do not count. */
function afterHereDocuments(lines: readonly string[], first: number, { name, text }: Instruction): number {
  if (!['RUN', 'COPY', 'ADD'].includes(name)) return first;
  return [...text.matchAll(hereDocument)].reduce((from, [opening, , end]) => {
    const isEnd = (line: string) => (opening.includes('<<-') ? line.replace(/^\t+/, '') : line) === end;
    const at = lines.findIndex((line, index) => index >= from && isEnd(line.replace(/\r$/, '')));
    return at < 0 ? from : at + 1;
  }, first);
}

/** The line at `first` with its continuations. Comments and empty lines do not end them. */
function joinedLine(lines: readonly string[], first: number, character: EscapeCharacter) {
  let text = '';
  let next = first;
  for (let isOpen = true; isOpen && next < lines.length; next += 1) {
    const line = (lines[next] ?? '').replace(/\r$/, '').replace(/[ \t]+$/, '');
    if (isComment(line)) {
      isOpen = next > first;
      continue;
    }
    isOpen = line.endsWith(character);
    text += isOpen ? line.slice(0, -1) : line;
  }
  return { text, next };
}

function isComment(line: string): boolean {
  return /^\s*(?:#|$)/.test(line);
}

function instructionIn(line: string): Instruction[] {
  const text = line.replace(leadingSpace, '').replace(onBuild, '');
  const match = /^([A-Za-z]+)[\s\u0085]+(.*)$/s.exec(text);
  return match ? [{ name: (match[1] ?? '').toUpperCase(), text: (match[2] ?? '').trim() }] : [];
}
