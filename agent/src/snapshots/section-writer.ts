import { Readable } from 'node:stream';
import type { ArchiveWriter } from './archive.js';

type Content = Readable | Buffer;

/** A section of an archive. A script that prints it begins when it is asked for. */
export interface Section {
  readonly name: string;
  readonly content: Buffer | (() => Promise<Content>);
}

/** The start of a script in a container takes as long as some megabytes of its output. */
const scriptsAtOnce = 4;

/**
 * Writes the sections in their order. While one is written, the scripts of the next ones begin, and
 * wait once their output fills a buffer.
 */
export async function addSections(archive: ArchiveWriter, sections: readonly Section[]): Promise<void> {
  const opened = new Map<Section, Promise<Content>>();
  const scripts = sections.filter(({ content }) => !Buffer.isBuffer(content));
  let written = 0;
  try {
    for (const section of sections) {
      for (const script of scripts.slice(opened.size, written + scriptsAtOnce))
        opened.set(script, open(script));
      const script = opened.get(section);
      await archive.add(section.name, await (script ?? open(section)));
      if (script) written += 1;
    }
  } finally {
    for (const content of opened.values()) content.then(close, () => undefined);
  }
}

/** A failure is thrown when the section is written. */
function open({ content }: Section): Promise<Content> {
  const opened = Promise.resolve(Buffer.isBuffer(content) ? content : content());
  opened.then(
    (one) => one instanceof Readable && one.on('error', () => undefined),
    () => undefined,
  );
  return opened;
}

const close = (content: Content): void => {
  if (content instanceof Readable) content.destroy();
};
