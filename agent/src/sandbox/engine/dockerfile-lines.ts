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

/** The instructions in their order; one list for each escape character that may hold. */
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
    found.push(...instructionIn(text));
    at = next;
  }
  return found;
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
