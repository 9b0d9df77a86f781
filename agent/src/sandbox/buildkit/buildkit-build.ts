import type { ChildProcess } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { endGroup } from '../../node/end-group.js';
import { checkedContext } from '../engine/build-context.js';
import { checkDockerfile } from '../engine/dockerfile-check.js';
import type { BuildRequest } from '../engine/engine-build.js';
import { EngineImages } from '../engine/engine-images.js';
import { ArchiveRefused, writeRoot } from '../engine/tar-entry.js';
import type { StartBuildx } from './buildx.js';
import { buildxArguments } from './buildx-arguments.js';
import { sourcePolicy } from './source-policy.js';

/** BuildKit for the builds of one run, with limits. */
export interface BuildKit {
  readonly start: StartBuildx;
  /** Path of the control group with all limits of the run. */
  readonly cgroupPath: string;
}

interface BuildKitRequest extends BuildRequest {
  readonly buildKit: BuildKit;
  /** Folder of the agent for the archive. */
  readonly folder: string;
}

const shownCharacters = 2_000;
const maxContextBytes = 4 * 1024 ** 3;

/**
 * Builds an archive with BuildKit, and answers as the engine does for a classic build. The whole
 * archive is checked and written first: BuildKit builds what it has when its input ends.
 * @throws BuildRefused or ArchiveRefused, before anything is built
 */
export async function buildWithBuildKit(
  context: IncomingMessage,
  response: ServerResponse,
  build: BuildKitRequest,
): Promise<void> {
  const folder = await mkdtemp(join(build.folder, 'buildkit-'));
  try {
    const archive = join(folder, 'context.tar');
    const policy = join(folder, 'policy.json');
    await writeFile(policy, sourcePolicy(await writeContext(context, archive, build)));
    const { cgroupPath, start } = build.buildKit;
    await answerFrom(response, start(buildxArguments({ ...build, cgroupPath }), { archive, policy }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the images that the build may use. */
async function writeContext(
  context: IncomingMessage,
  path: string,
  build: BuildKitRequest,
): Promise<readonly string[]> {
  const images: string[] = [];
  const options = { ...build, images: new EngineImages(build.request), hasBuildKit: true };
  const check = async (text: string) => images.push(...(await checkDockerfile(text, options)));
  const checked = checkedContext(context, { dockerfile: build.dockerfile, check });
  await pipeline(Readable.from(limited(checked)), createWriteStream(path, { mode: 0o600 }));
  return images;
}

/** Begins with a plain entry: buildx reads one to find out that its input is an archive. */
async function* limited(archive: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0;
  yield writeRoot();
  for await (const piece of archive) {
    bytes += piece.length;
    if (bytes > maxContextBytes)
      throw new ArchiveRefused(`the build context is larger than ${maxContextBytes / 1024 ** 3} GB`);
    yield piece;
  }
}

/** The program's output, as the docker command expects it from the engine. */
async function answerFrom(response: ServerResponse, child: ChildProcess): Promise<void> {
  const end = () => endGroup(child.pid);
  const ended = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null));
    child.once('close', resolve);
  });
  response.once('close', end);
  if (response.destroyed) end();
  try {
    response.writeHead(200, { 'content-type': 'application/json' });
    await pipeline(Readable.from(messages(child, ended)), response);
  } finally {
    response.off('close', end);
    end();
    await ended;
  }
}

async function* messages(child: ChildProcess, ended: Promise<number | null>): AsyncGenerator<string> {
  let tail = '';
  for await (const chunk of child.stderr?.setEncoding('utf8') ?? []) {
    tail = (tail + chunk).slice(-shownCharacters);
    yield `${JSON.stringify({ stream: chunk })}\n`;
  }
  if ((await ended) === 0) return;
  const message =
    tail
      .trim()
      .split('\n')
      .at(-1)
      ?.replace(/^ERROR: /, '') || 'docker buildx did not start';
  yield `${JSON.stringify({ errorDetail: { message }, error: message })}\n`;
}
