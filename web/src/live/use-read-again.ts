import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useTopic } from './use-topic.js';

/** Reads again what keys name, with each event of a topic and after each reconnect. */
export function useReadAgain(topic: string | undefined, ...keys: readonly QueryKey[]): void {
  const queries = useQueryClient();
  useTopic(topic, () => {
    for (const queryKey of keys) void queries.invalidateQueries({ queryKey });
  });
}
