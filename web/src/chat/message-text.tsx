import { lazy, memo, Suspense, useState } from 'react';

type Reader = typeof import('./markdown.js').Markdown;
let loaded: Reader | undefined;

export async function loadMarkdown(): Promise<{ readonly default: Reader }> {
  const { Markdown } = await import('./markdown.js');
  loaded = Markdown;
  return { default: Markdown };
}
const Lazy = lazy(loadMarkdown);

/**
 * Text in markdown, and as it is written until the reader of markdown is loaded. React shows what
 * stands in for a lazy component for at least 300 ms, so the reader is used as it is where it is
 * loaded. Unchanged messages are not made again while another one grows.
 */
export const MessageText = memo(({ text }: { readonly text: string }) => {
  const [Markdown] = useState<Reader | typeof Lazy>(() => loaded ?? Lazy);
  return (
    <Suspense fallback={<p className="plain-text">{text}</p>}>
      <Markdown text={text} />
    </Suspense>
  );
});
