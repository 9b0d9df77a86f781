import type { BootEnv } from '../../protocol/boot.js';
import { refusedLaunchesFile } from './refused-launches.js';

export interface LaunchRequest {
  readonly clientToken: string;
  readonly nodeId: string;
  /** Undefined for an instance that waits to become the node. */
  readonly bootEnv: BootEnv | undefined;
  readonly instanceType: string;
  readonly imageId: string;
  readonly subnetId: string;
  readonly tags: Readonly<Record<string, string>>;
}

export class ClientTokenReused extends Error {}

export class LaunchRefused extends Error {
  constructor(readonly code: string) {
    super(`${refusedLaunchesFile} lists this launch with ${code}`);
  }
}
