import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';

/** A change of what was read under a key, which is then read again. */
export function useChange<Input = void, Answer = unknown>(
  queryKey: QueryKey,
  mutationFn: (input: Input) => Promise<Answer>,
) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: () => queries.invalidateQueries({ queryKey }),
  });
}
