import { spawnSync } from 'node:child_process';

/** The image that scripts/base-image.sh builds. */
export const baseImage = process.env.BERTH_WORKSPACE_IMAGE ?? 'berth-base:local';

/** Whether an engine is available and has the base image. */
export function hasDocker(): boolean {
  return spawnSync('docker', ['image', 'inspect', baseImage], { stdio: 'ignore' }).status === 0;
}

/** Address of this machine for containers of the engine; older engines report only its range. */
export function engineGateway(): string {
  const found = docker('network', 'inspect', 'bridge', '-f', '{{json (index .IPAM.Config 0)}}');
  const { Gateway, Subnet } = JSON.parse(found) as { Gateway?: string; Subnet: string };
  return Gateway ?? Subnet.replace(/\.\d+\/\d+$/, '.1');
}

export function docker(...args: string[]): string {
  return spawnSync('docker', args, { encoding: 'utf8' }).stdout.trim();
}
