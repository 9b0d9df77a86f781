import { countInWords } from './inbox-words.js';
import { useInboxCount } from './use-inbox.js';

/** The number of items, where there are any. */
export function InboxCount() {
  const count = useInboxCount();
  if (count === 0) return null;
  return (
    <>
      {' '}
      <span className="count">{countInWords(count)}</span>
    </>
  );
}
