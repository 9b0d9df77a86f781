import type { IncomingMessage } from 'node:http';
import * as z from 'zod/mini';
import type { RequestEngine } from './engine-address.js';

const Image = z.object({
  Architecture: z._default(z.string(), ''),
  Config: z.nullish(z.object({ OnBuild: z.nullish(z.array(z.string())) })),
});
type Image = z.infer<typeof Image>;

const maxBytes = 4 * 1024 ** 2;

/** The images of the engine, for checks of a build. */
export class EngineImages {
  constructor(private readonly request: RequestEngine) {}

  /** Instructions that a build on this image runs first; pulls the image when it is missing. */
  async onBuild(name: string, platform: string | null): Promise<readonly string[] | null> {
    const existing = await this.inspect(name);
    const isUsable = existing && (platform === null || platform.split('/')[1] === existing.Architecture);
    if (!isUsable) await this.pull(name, platform);
    const image = isUsable ? existing : await this.inspect(name);
    return image && (image.Config?.OnBuild ?? []);
  }

  private async inspect(name: string): Promise<Image | null> {
    const answer = await this.ask('GET', `/images/${name}/json`);
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of answer) {
      bytes += chunk.length;
      if (bytes <= maxBytes) chunks.push(chunk);
    }
    if (answer.statusCode !== 200) return null;
    return Image.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')));
  }

  private async pull(name: string, platform: string | null): Promise<void> {
    const hasTag = /:[\w.-]+$|@/.test(name.slice(name.lastIndexOf('/') + 1));
    const query = new URLSearchParams({
      fromImage: name,
      // Without a tag, the engine would pull all of them.
      ...(hasTag ? {} : { tag: 'latest' }),
      ...(platform === null ? {} : { platform }),
    });
    const answer = await this.ask('POST', `/images/create?${query}`);
    for await (const _ of answer);
  }

  private ask(method: string, path: string): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const sent = this.request({ method, path });
      sent.once('response', resolve);
      sent.once('error', reject);
      sent.end();
    });
  }
}
