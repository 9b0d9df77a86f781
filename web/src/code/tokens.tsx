import type { TokenLine } from './highlighter.js';

/** One line of code. */
export const Tokens = ({ line }: { readonly line: TokenLine }) =>
  line.map(({ kind, text }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a line have no other name
    <span key={index} className={kind && `token-${kind}`}>
      {text}
    </span>
  ));
