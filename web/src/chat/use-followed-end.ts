import { useCallback, useEffect, useRef, useState } from 'react';

/** This near to the end, a person reads the end. */
const nearPx = 160;

/**
 * Stays at the end of a list that grows, unless the person has scrolled away from it. Then counts
 * what is new.
 */
export function useFollowedEnd(length: number) {
  const scroller = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  // The length of the list when the person left its end.
  const [leftAt, setLeftAt] = useState<number>();
  const toEnd = useCallback(() => {
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
    setLeftAt(undefined);
  }, []);
  const follows = useRef(true);
  follows.current = leftAt === undefined;
  const known = useRef(length);
  known.current = length;
  useEffect(() => {
    const box = scroller.current;
    if (!box || !content.current) return undefined;
    const scrolled = () => {
      const isNear = box.scrollHeight - box.scrollTop - box.clientHeight <= nearPx;
      setLeftAt((before) => (isNear ? undefined : (before ?? known.current)));
    };
    // Content grows after its list: markdown is loaded, a tool call is opened.
    const grows = new ResizeObserver(() => {
      if (follows.current) box.scrollTo({ top: box.scrollHeight });
    });
    grows.observe(content.current);
    box.addEventListener('scroll', scrolled, { passive: true });
    return () => {
      grows.disconnect();
      box.removeEventListener('scroll', scrolled);
    };
  }, []);
  return { scroller, content, isAtEnd: leftAt === undefined, fresh: length - (leftAt ?? length), toEnd };
}
