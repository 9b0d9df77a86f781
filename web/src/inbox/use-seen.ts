import { useEffect, useEffectEvent } from 'react';
import { useDismissal, useInbox } from './use-inbox.js';

/** Takes an ended task out of the inbox when its person looks at it. */
export function useSeen(taskId: string): void {
  const id = `task.${taskId}`;
  const pages = useInbox().data?.pages ?? [];
  const isListed = pages.some(({ items }) => items.some((item) => item.id === id));
  const dismiss = useDismissal();
  const see = useEffectEvent(() => {
    // A failure leaves the item where it is.
    if (document.visibilityState === 'visible') dismiss(id).catch(() => undefined);
  });
  useEffect(() => {
    if (!isListed) return undefined;
    const changed = () => see();
    changed();
    document.addEventListener('visibilitychange', changed);
    return () => document.removeEventListener('visibilitychange', changed);
  }, [isListed]);
}
