import { useRef } from 'react';

/**
 * One key a content: a repeat after a lost answer is the same request, and another content under
 * the same key would be refused.
 */
export function useKeyOfContent() {
  const last = useRef({ content: '', key: '' });
  return {
    of: (content: string): string => {
      if (last.current.content !== content) last.current = { content, key: crypto.randomUUID() };
      return last.current.key;
    },
    /** After a success the same content is a new request. */
    forget: (): void => {
      last.current = { content: '', key: '' };
    },
  };
}
