import { once } from 'node:events';
import { spawn } from '../../node/process-priority.js';

const programs = ['iptables', 'ip6tables'];
/** Rules for the packets of a build's containers to this machine, except to its name server. */
const rulesOf = (bridge: string) =>
  ['tcp', 'udp'].map((protocol) => [
    ...['INPUT', '--in-interface', bridge, '--protocol', protocol],
    ...['!', '--destination-port', '53', '--jump', 'REJECT'],
  ]);

/**
 * Keeps the containers of a build from the services of this machine, such as those of a laptop: its
 * addresses are one hop away. Does nothing where the agent may not change the firewall, and has no
 * effect where the engine runs on another machine.
 */
export async function closeBridge(bridge: string): Promise<AsyncDisposable> {
  const change = async (action: string) => {
    for (const program of programs)
      for (const rule of rulesOf(bridge)) await run(program, ['--wait', action, ...rule]);
  };
  if (process.getuid?.() !== 0) return { [Symbol.asyncDispose]: async () => undefined };
  // Those of a build that was killed.
  await change('--delete');
  await change('--insert');
  return { [Symbol.asyncDispose]: () => change('--delete') };
}

/** A missing program and a refusal are the same: there is no such rule. */
async function run(program: string, args: readonly string[]): Promise<void> {
  await once(spawn(program, [...args], { stdio: 'ignore' }), 'close').catch(() => undefined);
}
