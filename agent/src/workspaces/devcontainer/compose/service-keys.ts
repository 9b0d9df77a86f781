import { BuildFailed } from '../build-output.js';

/** Keys of a service that the agent evaluates. */
const supported = new Set([
  ...['image', 'command', 'entrypoint', 'environment', 'env_file', 'user', 'working_dir'],
  ...['volumes', 'depends_on', 'healthcheck', 'restart', 'cap_add', 'security_opt', 'network_mode'],
]);
/** Only the service of the workspace is built. */
const supportedInMain = new Set(['build']);
/** Keys without effect on what a service may do; they are left out and named in the boot log. */
const leftOut = new Set([
  ...['ports', 'expose', 'networks', 'container_name', 'hostname', 'labels', 'logging', 'deploy'],
  ...['mem_limit', 'mem_reservation', 'memswap_limit', 'cpus', 'cpu_count', 'cpu_shares', 'pids_limit'],
  ...['init', 'tty', 'stdin_open', 'platform', 'pull_policy', 'shm_size', 'stop_grace_period'],
  ...['stop_signal', 'profiles', 'attach', 'annotations', 'cap_drop'],
]);
/** Keys of the file itself. */
const ofFile = new Set(['services', 'volumes', 'networks', 'version', 'name']);

const isExtension = (key: string) => key.startsWith('x-');
/** `privileged: false` asks for nothing. */
const asksNothing = (value: unknown) => value === false || value === null;

/** @throws BuildFailed for a key of the file that is not supported */
export function checkFileKeys(file: Readonly<Record<string, unknown>>): void {
  const key = Object.keys(file).find((name) => !ofFile.has(name) && !isExtension(name));
  if (key !== undefined) throw new BuildFailed(`Compose file: the key ${key} is not supported. Remove it`);
}

/**
 * Returns notes about keys that have no effect.
 * @throws BuildFailed for a key that is not supported, with the names of service and key
 */
export function checkServiceKeys(
  name: string,
  service: Readonly<Record<string, unknown>>,
  isMain: boolean,
): string[] {
  const keys = Object.keys(service).filter((key) => !isExtension(key) && !asksNothing(service[key]));
  for (const key of keys) {
    if (supported.has(key) || leftOut.has(key) || (isMain && supportedInMain.has(key))) continue;
    throw new BuildFailed(unsupported(name, key));
  }
  const without = keys.filter((key) => leftOut.has(key));
  return without.length > 0 ? [`Service ${name}: ignored: ${without.join(', ')}`] : [];
}

function unsupported(name: string, key: string): string {
  if (key === 'build')
    return `Service ${name}: the key build is supported only in the service of the workspace. Use an image`;
  return `Service ${name}: the key ${key} is not supported. Remove it`;
}
