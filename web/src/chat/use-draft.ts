import { useCallback, useState } from 'react';

/** A text that is not sent yet. It is kept in this browser window. */
export function useDraft(name: string): readonly [string, (text: string) => void] {
  const key = `berth.draft.${name}`;
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? '');
  const change = useCallback(
    (next: string) => {
      setText(next);
      if (next === '') sessionStorage.removeItem(key);
      else sessionStorage.setItem(key, next);
    },
    [key],
  );
  return [text, change];
}
