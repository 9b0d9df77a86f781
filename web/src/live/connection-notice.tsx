import { useSyncExternalStore } from 'react';
import { useServices } from '../app/services.js';

/** Says while nothing comes from the control plane. Afterwards every page reads again by itself. */
export function ConnectionNotice() {
  const { live } = useServices().surroundings;
  const isOnline = useSyncExternalStore(followNetwork, () => navigator.onLine);
  const isLost = useSyncExternalStore(live.watch, live.isLost);
  if (isOnline && !isLost) return null;
  const because = isOnline ? live.endedBecause() : undefined;
  if (because !== undefined)
    return (
      <p className="notice bad">
        {because}{' '}
        <button type="button" onClick={() => live.check()}>
          Continue here
        </button>
      </p>
    );
  return (
    <p className="notice bad">
      {isOnline ? 'There is no connection to Berth.' : 'You are offline.'} What you see may be old; it is read
      again when the connection is back.
    </p>
  );
}

function followNetwork(changed: () => void): () => void {
  addEventListener('online', changed);
  addEventListener('offline', changed);
  return () => {
    removeEventListener('online', changed);
    removeEventListener('offline', changed);
  };
}
