import { setTimeout as delay } from 'node:timers/promises';
import { type LinkTarget, TerminalLink } from './terminal-link.js';

/** Below the rate of messages that the agent allows a client. */
const pauseMs = 36;

/** A shell in which the kernel itself echoes what is typed: only the way there and back is measured. */
export class EchoLink {
  private constructor(private readonly link: TerminalLink) {}

  static async open(target: LinkTarget, sessionId: string): Promise<EchoLink> {
    const link = await TerminalLink.open(target, sessionId);
    await link.run('echo RE"AD"Y; exec cat >/dev/null\n', 'READY');
    await delay(200);
    return new EchoLink(link);
  }

  async sampleMs(): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.link.onBytes = () => resolve();
    const began = performance.now();
    this.link.type('x');
    await promise;
    return performance.now() - began;
  }

  close(): void {
    this.link.close();
  }
}

/** Samples of each, in turn, so that what else the machine does befalls all alike. */
export async function sampleEchoes(links: readonly EchoLink[], count: number): Promise<number[][]> {
  const samples: number[][] = links.map(() => []);
  for (let round = 0; round < count; round++) {
    for (const [index, link] of links.entries()) {
      samples[index]?.push(await link.sampleMs());
      await delay(pauseMs / links.length);
    }
  }
  return samples;
}
