import { setTimeout as delay } from 'node:timers/promises';
import { type LinkTarget, TerminalLink } from './terminal-link.js';

/** Below the rate of messages that the agent allows a client. */
const pauseMs = 36;

/**
 * A shell in which the kernel itself echoes what is typed: only the way there and back is measured.
 */
export class EchoLink {
  private constructor(private readonly link: TerminalLink) {}

  static async open(target: LinkTarget, sessionId: string): Promise<EchoLink> {
    const link = await TerminalLink.open(target, sessionId);
    await link.run('echo RE"AD"Y; exec cat >/dev/null\n', 'READY');
    await delay(200);
    return new EchoLink(link);
  }

  async sampleMs(): Promise<number> {
    // Until the byte is there: what the client does about it afterwards, such as acknowledging, is
    // not part of the way.
    const { promise, resolve } = Promise.withResolvers<number>();
    this.link.onBytes = () => resolve(performance.now() - began);
    const began = performance.now();
    this.link.type('x');
    return promise;
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
