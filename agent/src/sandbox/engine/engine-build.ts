import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { checkedContext } from './build-context.js';
import { checkDockerfile } from './dockerfile-check.js';
import type { RequestEngine } from './engine-address.js';
import type { AllowedHosts } from './engine-hosts.js';
import { EngineImages } from './engine-images.js';
import type { BuildVerdict } from './engine-rules.js';

export interface BuildRequest extends BuildVerdict {
  readonly workspaceId: string;
  readonly allowedHosts: AllowedHosts;
  readonly request: RequestEngine;
}

/**
 * Sends a build to the engine, with its Dockerfile checked, and returns the engine's answer.
 * @throws BuildRefused or ArchiveRefused; the engine then has an incomplete context
 */
export async function sendBuild(context: IncomingMessage, build: BuildRequest): Promise<IncomingMessage> {
  const { path, dockerfile, request } = build;
  const images = new EngineImages(request);
  const check = (text: string) => checkDockerfile(text, { ...build, images, hasBuildKit: false });
  const headers = { 'content-type': 'application/x-tar', 'transfer-encoding': 'chunked' };
  const sent = request({ method: 'POST', path, headers });
  const answered = once(sent, 'response');
  const written = pipeline(Readable.from(checkedContext(context, { dockerfile, check })), sent);
  // The engine may answer before it has read everything.
  const failed = written.then(() => answered);
  const [response] = await Promise.race([answered, failed]);
  return response;
}
