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

const heldMegabytes = 64;

/** A program that holds this much memory until its container ends. */
export const holdMemory = (megabytes: number): string =>
  `(head -c ${megabytes}M /dev/zero; sleep 600) | tail`;

/**
 * The kernel ends the container for lack of memory: its first process is the likeliest one to be
 * killed here, as many small ones fill the memory.
 */
export function runOutOfMemory(container: string, limitMegabytes: number): void {
  docker('exec', '-u', '0', container, 'sh', '-c', 'echo 1000 > /proc/1/oom_score_adj');
  const many = Array.from({ length: limitMegabytes / heldMegabytes + 4 }, () => holdMemory(heldMegabytes));
  docker('exec', '-d', container, 'sh', '-c', `${many.join(' & ')} & wait`);
}
