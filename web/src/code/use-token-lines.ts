import { useEffect, useState } from 'react';
import type { TokenLine } from './highlighter.js';

/** Longer texts stay plain: a page stays quick. */
const mostCharacters = 100_000;

interface Highlighted {
  readonly of: string;
  readonly lines: readonly TokenLine[];
}

/** The highlighted lines of a text; undefined until they are known, or where there are none. */
export function useTokenLines(text: string, language: string | undefined): readonly TokenLine[] | undefined {
  const [found, setFound] = useState<Highlighted>();
  useEffect(() => {
    if (language === undefined || text.length > mostCharacters) return;
    let isWanted = true;
    // Loaded with the first code that is shown. Without it the text stays plain.
    import('./highlighter.js')
      .then(({ tokenLines }) => {
        if (isWanted) setFound({ of: text, lines: tokenLines(text, language) });
      })
      .catch(() => undefined);
    return () => {
      isWanted = false;
    };
  }, [text, language]);
  return found?.of === text ? found.lines : undefined;
}
