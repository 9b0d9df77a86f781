import { readlinkSync } from 'node:fs';
import * as z from 'zod/mini';
import { AgentError } from '../errors.js';
import { dialFirst } from './dial.js';

/** Messages between the agent and its helper in a workspace's network. */
export const DialOrder = z.object({
  id: z.int(),
  addresses: z.readonly(z.array(z.string())),
  port: z.int(),
  timeoutMs: z.number(),
});
export type DialOrder = z.infer<typeof DialOrder>;

/** First the helper's network; then one answer per order, with the socket on success. */
export const DialAnswer = z.union([
  z.object({ network: z.string() }),
  z.object({ id: z.int(), error: z.nullable(z.enum(['bad_gateway', 'timed_out'])) }),
]);
export type DialAnswer = z.infer<typeof DialAnswer>;

/** The argument that starts the agent's program as the helper. */
export const dialHelperArgument = '--dial-helper';

/**
 * Runs in the network of one workspace: connects to addresses there and passes the connected
 * sockets to the agent, so that no data goes through the helper. Ends with the agent.
 */
export function runDialHelper(): void {
  const answer = (message: DialAnswer) => process.send?.(message);
  process.on('disconnect', () => process.exit(0));
  process.on('message', (message) => {
    const { id, ...request } = DialOrder.parse(message);
    dialFirst(request, true).then(
      (socket) => {
        socket.on('error', () => socket.destroy());
        process.send?.({ id, error: null } satisfies DialAnswer, socket);
      },
      (error: unknown) => {
        const isLate = error instanceof AgentError && error.code === 'timed_out';
        answer({ id, error: isLate ? 'timed_out' : 'bad_gateway' });
      },
    );
  });
  answer({ network: readlinkSync('/proc/self/ns/net') });
}
