import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useServices } from '../app/services.js';
import { isPushing, startPush, stopPush } from './push.js';

const key = ['push'] as const;

/** Whether this browser notifies the person while no page of Berth is open. */
export function PushChoice() {
  const { client } = useServices();
  const queries = useQueryClient();
  const isOn = useQuery({ queryKey: key, queryFn: () => isPushing(client) });
  const choice = useMutation({
    mutationFn: (wanted: boolean) => (wanted ? startPush(client) : stopPush(client)),
    onSettled: () => queries.invalidateQueries({ queryKey: key }),
  });
  return (
    <>
      <label>
        <input
          type="checkbox"
          checked={isOn.data ?? false}
          disabled={isOn.isPending || choice.isPending}
          onChange={({ target }) => choice.mutate(target.checked)}
        />{' '}
        Also when this page is closed
      </label>
      <div role="status">{choice.isError && <p>The browser cannot receive push messages.</p>}</div>
    </>
  );
}
