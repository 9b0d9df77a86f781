import { spawnSync } from 'node:child_process';

/** The image made by scripts/base-image.sh. */
export const baseImage = process.env.BERTH_WORKSPACE_IMAGE ?? 'berth-base:local';

/** Whether an engine answers here and has the base image. */
export function hasDocker(): boolean {
  return spawnSync('docker', ['image', 'inspect', baseImage], { stdio: 'ignore' }).status === 0;
}

export function docker(...args: string[]): string {
  return spawnSync('docker', args, { encoding: 'utf8' }).stdout.trim();
}
