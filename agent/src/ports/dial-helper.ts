import { readlinkSync } from 'node:fs';
import { AgentError } from '../errors.js';
import { dialFirst } from './dial-first.js';
import { type DialAnswer, DialOrder } from './dial-messages.js';

/** The argument with which the agent's own program becomes the helper. */
export const dialHelperArgument = '--dial-helper';

/**
 * Runs in the network of one workspace, with nothing else of it: connects to addresses there and hands the connected
 * sockets to the agent, so that no byte passes through here. Ends with the agent.
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
