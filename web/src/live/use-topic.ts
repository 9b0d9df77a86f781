import { useEffect, useEffectEvent } from 'react';
import type { LiveServerMessage } from '../../../protocol/live.js';
import { useServices } from '../app/services.js';

/**
 * Listens to a topic while it is given. `receive` is also called without a message: after each
 * reconnect, when events may have been missed.
 */
export function useTopic(
  topic: string | undefined,
  receive: (message: LiveServerMessage | undefined) => void,
): void {
  const { live } = useServices().surroundings;
  const received = useEffectEvent(receive);
  useEffect(() => {
    if (topic === undefined) return undefined;
    return live.subscribe(topic, { subscribed: () => received(undefined), message: received });
  }, [live, topic]);
}
