import { createHash } from 'node:crypto';
import type { Forgery } from './forged-signatures.js';

const hash = (text: string, form: 'base64url' | 'hex') => createHash('sha256').update(text).digest(form);

const flipCase = (text: string): string =>
  text.replace(/[a-z]/i, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );

/** Texts that are almost this proof, made of it and of somebody else's. */
export function nearMisses(value: string, other: string): readonly Forgery[] {
  const [own, foreign] = [value.split('.'), other.split('.')];
  const mixed = own.map((part, at) => own.with(at, foreign[at] ?? part).join('.'));
  const all: readonly Forgery[] = [
    ['nothing', ''],
    ['a space', ' '],
    ['all but its last character', value.slice(0, -1)],
    ['all but its first character', value.slice(1)],
    ['one character more', `${value}A`],
    ['a dot more', `${value}.`],
    ['a part more', `${value}.${own.at(-1)}`],
    ['another case', flipCase(value)],
    ['capitals', value.toUpperCase()],
    ['lower case', value.toLowerCase()],
    ['another first character', `${value.startsWith('0') ? '1' : '0'}${value.slice(1)}`],
    ['a space before', ` ${value}`],
    ['a line after', `${value}\n`],
    ['a zero byte after', `${value}\u0000`],
    ['a zero-width character in it', `${value.slice(0, 5)}\u200b${value.slice(5)}`],
    ['a letter that only looks so', value.replace(/[aeocxp0]/i, '\u0430')],
    [
      'full-width characters',
      value.replace(/\w/g, (one) => String.fromCodePoint(one.charCodeAt(0) + 0xfee0)),
    ],
    ['percent codes', `%${value.charCodeAt(0).toString(16)}${value.slice(1)}`],
    ['its hash', hash(value, 'base64url')],
    ['its hash in hex', hash(value, 'hex')],
    ['itself twice', `${value}${value}`],
    ['a list of it', `${value},${value}`],
    ['its parts in another order', own.toReversed().join('.')],
    ['only its last part', own.at(-1) ?? ''],
    ['a very long text', value.padEnd(200_000, 'A')],
    ['a query of a table', "' OR '1'='1"],
    ['an object', JSON.stringify({ $ne: value })],
    ...mixed.map((text, at) => [`part ${at} of somebody else's`, text] as const),
  ];
  // What a change leaves as it was, or makes somebody's own, is no attack.
  return all.filter(([, text]) => text !== value && text !== other);
}
