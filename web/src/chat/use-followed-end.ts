import { useCallback, useEffect, useRef, useState } from 'react';

/** Stays at the end of a list that grows, unless the person has scrolled away from it. */
export function useFollowedEnd(list: unknown) {
  const end = useRef<HTMLDivElement>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  useEffect(() => {
    if (!end.current) return undefined;
    const watch = new IntersectionObserver(([seen]) => setAtEnd(seen?.isIntersecting ?? true), {
      rootMargin: '160px',
    });
    watch.observe(end.current);
    return () => watch.disconnect();
  }, []);
  const follows = useRef(isAtEnd);
  follows.current = isAtEnd;
  const toEnd = useCallback(() => end.current?.scrollIntoView({ block: 'end' }), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each growth of the list
  useEffect(() => {
    if (follows.current) toEnd();
  }, [list, toEnd]);
  return { end, isAtEnd, toEnd };
}
