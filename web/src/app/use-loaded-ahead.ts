import { useEffect } from 'react';

/** After the page has loaded its own code and data. */
const afterMs = 1_500;

/** Loads code that is likely to be needed next. `load` stays the same function. */
export function useLoadedAhead(load: () => Promise<unknown>): void {
  useEffect(() => {
    // Offline it is loaded when it is needed.
    const timer = setTimeout(() => load().catch(() => undefined), afterMs);
    return () => clearTimeout(timer);
  }, [load]);
}
