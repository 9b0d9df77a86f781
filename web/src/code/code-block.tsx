import { Fragment } from 'react';
import { languageNamed } from './languages.js';
import { Tokens } from './tokens.js';
import { useTokenLines } from './use-token-lines.js';

interface CodeBlockProps {
  readonly text: string;
  /** As the fence names it. */
  readonly name: string;
}

/** Code in a message. */
export function CodeBlock({ text, name }: CodeBlockProps) {
  const lines = useTokenLines(text, languageNamed(name));
  if (!lines) return <code>{text}</code>;
  return (
    <code>
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name
        <Fragment key={index}>
          {index > 0 && '\n'}
          <Tokens line={line} />
        </Fragment>
      ))}
    </code>
  );
}
