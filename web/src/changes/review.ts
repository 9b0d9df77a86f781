import { useState } from 'react';
import { shownPath } from './git-path.js';

/** A remark on a line, or on a file. */
export interface Comment {
  readonly id: string;
  readonly path: string;
  readonly line: number | null;
  readonly isOld: boolean;
  readonly quote: string;
  readonly text: string;
}

/** All remarks as one message to the agent. */
export function reviewPrompt(comments: readonly Comment[]): string {
  const parts = comments.map(({ path, line, isOld, quote, text }) => {
    const place = `${shownPath(path)}${line === null ? '' : `:${line}${isOld ? ' (removed line)' : ''}`}`;
    return `${place}\n${quote === '' ? '' : `> ${quote.slice(0, 300)}\n`}${text}`;
  });
  return `Please change the following:\n\n${parts.join('\n\n')}`;
}

/** Remarks that are not sent yet. They are kept in this browser window. */
export function useReview(taskId: string) {
  const key = `berth.review.${taskId}`;
  const [comments, setComments] = useState<readonly Comment[]>(() => stored(sessionStorage, key));
  const change = (next: readonly Comment[]) => {
    setComments(next);
    sessionStorage.setItem(key, JSON.stringify(next));
  };
  return {
    comments,
    add: (comment: Omit<Comment, 'id'>) => change([...comments, { ...comment, id: crypto.randomUUID() }]),
    remove: (id: string) => change(comments.filter((one) => one.id !== id)),
    clear: () => change([]),
  };
}
export type Review = ReturnType<typeof useReview>;

/** Files that a person has seen, until they change again. The browser remembers them. */
export function useViewed(taskId: string) {
  const key = `berth.viewed.${taskId}`;
  const [marks, setMarks] = useState<readonly string[]>(() => stored(localStorage, key));
  return {
    has: (mark: string) => marks.includes(mark),
    toggle: (mark: string) => {
      const next = marks.includes(mark) ? marks.filter((one) => one !== mark) : [...marks, mark].slice(-500);
      setMarks(next);
      localStorage.setItem(key, JSON.stringify(next));
    },
  };
}
export type Viewed = ReturnType<typeof useViewed>;

/** Another one after each change of the file. */
export function markOf(key: string, body: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < body.length; at += 1) hash = Math.imul(hash ^ body.charCodeAt(at), 0x01000193);
  return `${key} ${(hash >>> 0).toString(36)} ${body.length}`;
}

function stored<T>(storage: Storage, key: string): readonly T[] {
  try {
    const value: unknown = JSON.parse(storage.getItem(key) ?? '[]');
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
