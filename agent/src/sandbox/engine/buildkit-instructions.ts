import { hereDocument, type Instruction, readings } from './dockerfile-lines.js';

const shownLength = 100;
const removeFlag = 'Remove the flag';
/**
 * Flags that every builder without BuildKit refuses, with what replaces them. Engines since 23
 * ignore others, such as --link.
 */
const flags: ReadonlyMap<string, string> = new Map([
  ['mount', 'Remove the flag, and COPY the files that it binds'],
  ['network', removeFlag],
  ['security', removeFlag],
  ['device', removeFlag],
  ['chmod', 'Remove the flag, and use RUN chmod'],
  ['parents', 'COPY each folder by its own instruction'],
]);

/**
 * Why the Dockerfile needs BuildKit, and what to write instead; null: it does not.
 * Engines name no reason, or build without the lines of a here-document.
 */
export function buildKitNeed(dockerfile: string): string | null {
  const lines = new Set(dockerfile.split('\n').map((line) => line.trim()));
  const instructions = readings(dockerfile).flat();
  return instructions.map((instruction) => needOf(instruction, lines)).find((need) => need !== null) ?? null;
}

function needOf(instruction: Instruction, lines: ReadonlySet<string>): string | null {
  const { name, text } = instruction;
  if (!['RUN', 'COPY', 'ADD'].includes(name)) return null;
  const shown = `${name} ${text}`.slice(0, shownLength);
  const flag = flagOf(text);
  if (flag !== null) return `${shown}: ${name} --${flag} needs BuildKit. ${flags.get(flag)}`;
  const isOpen = [...text.matchAll(hereDocument)].some(([, , end = '']) => lines.has(end));
  if (!isOpen) return null;
  return `${shown}: a here-document needs BuildKit. COPY a file of the repository, or use RUN printf`;
}

/** The first flag that needs BuildKit. Flags stand before all other words. */
function flagOf(text: string): string | null {
  for (const word of text.split(/\s+/)) {
    const name = /^--([a-z-]+)/.exec(word)?.[1];
    if (name === undefined) return null;
    if (flags.has(name)) return name;
  }
  return null;
}
