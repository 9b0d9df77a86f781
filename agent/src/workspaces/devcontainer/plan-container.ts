import type { ImageInspectInfo } from 'dockerode';
import type { ContainerPlan } from '../container/container-settings.js';
import { type DeclaredPorts, noPorts } from '../container/declared-ports.js';
import { noServices, type Services } from '../container/service-plan.js';
import type { OwnCommand } from './compose/read-compose.js';
import type { MergedConfiguration, Mount } from './configuration.js';

interface PlanSubject {
  readonly image: string;
  readonly inspected: Pick<ImageInspectInfo, 'Config'>;
  /** Path of the repository in the container. */
  readonly workDir: string;
  /** Name prefix of volumes that the configuration mounts. */
  readonly volumePrefix: string;
  /** From a compose file; null: the image's command. */
  readonly command?: OwnCommand | null;
  readonly services?: Services;
  readonly ports?: DeclaredPorts;
}

/**
 * Needed by debuggers, and no way out of the container: the default seccomp filter allows ptrace.
 */
export const grantedCapabilities = new Set(['SYS_PTRACE']);
/** Options that remove rights. Seccomp and AppArmor stay as the engine sets them. */
export const grantedSecurityOptions = new Set([
  'no-new-privileges',
  'no-new-privileges:true',
  'no-new-privileges=true',
]);

/**
 * Plans the container that image, features and devcontainer.json request, within the limits of a
 * workspace.
 */
export function planContainer(merged: MergedConfiguration, subject: PlanSubject): [ContainerPlan, string[]] {
  const { image, inspected, workDir } = subject;
  const notes: string[] = [];
  const allow = (requested: readonly string[], allowList: ReadonlySet<string>, name: string) => {
    const refused = requested.filter((value) => !allowList.has(value));
    if (refused.length > 0) notes.push(`${name} is not allowed: ${refused.join(', ')}`);
    return requested.filter((value) => allowList.has(value));
  };
  if (merged.privileged) notes.push('privileged is not allowed');
  const containerUser = merged.containerUser ?? (inspected.Config.User || 'root');
  const mounts = merged.mounts.flatMap((mount) => {
    const volume = volumeOf(mount, subject.volumePrefix);
    if (!volume) notes.push(`Mount ignored, only volumes are supported: ${text(mount)}`);
    return volume ? [volume] : [];
  });
  const plan: ContainerPlan = {
    image,
    origin: 'own',
    user: merged.remoteUser ?? containerUser,
    environment: environmentOf(merged, inspected.Config.Env ?? []),
    workDir: merged.workspaceFolder ?? workDir,
    mounts,
    capabilities: allow(merged.capAdd, grantedCapabilities, 'capAdd'),
    securityOptions: allow(merged.securityOpt, grantedSecurityOptions, 'securityOpt'),
    startup: { user: containerUser, commands: startupOf(merged, subject) },
    services: subject.services ?? noServices,
    ports: subject.ports ?? noPorts,
  };
  return [plan, notes];
}

/**
 * Commands that run from the start: entry points of features, and the image's own command when
 * `overrideCommand` is false.
 */
function startupOf(
  { entrypoints, overrideCommand }: MergedConfiguration,
  { inspected: { Config }, command: given }: PlanSubject,
) {
  if (overrideCommand !== false) return entrypoints;
  const entrypoint = given?.entrypoint ?? [Config.Entrypoint ?? []].flat();
  // An entry point of the file replaces the command of the image too.
  const command = given?.command ?? (given?.entrypoint ? [] : (Config.Cmd ?? []));
  const own = [...entrypoint, ...command].map(shellWord).join(' ');
  return own ? [...entrypoints, `exec ${own}`] : entrypoints;
}

function shellWord(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/**
 * Both environments in one: every user of the container comes through a tool, for which both are
 * meant.
 */
function environmentOf({ containerEnv, remoteEnv }: MergedConfiguration, imageEnv: readonly string[]) {
  const inContainer: Record<string, string> = {
    ...Object.fromEntries(imageEnv.map((line) => [line.split('=', 1)[0], line.slice(line.indexOf('=') + 1)])),
    ...containerEnv,
  };
  const resolved = Object.entries(remoteEnv).flatMap(([name, value]) =>
    value === null ? [] : [[name, value.replace(containerVariable, resolve)] as const],
  );
  function resolve(_: string, name: string, fallback: string | undefined): string {
    return inContainer[name] ?? fallback ?? '';
  }
  return { ...containerEnv, ...Object.fromEntries(resolved) };
}

const containerVariable = /\$\{containerEnv:([^:}]+)(?::([^}]*))?\}/g;

function volumeOf(mount: Mount, prefix: string): { readonly volume: string; readonly target: string } | null {
  const fields = typeof mount === 'string' ? fieldsOf(mount) : mount;
  const target = fields.target ?? '';
  if (
    fields.type !== 'volume' ||
    !/^\/[^,]+$/.test(target) ||
    /^\/(?:workspaces|run\/svc)(?:\/|$)/.test(target)
  )
    return null;
  const name = (fields.source ?? target).replace(/[^A-Za-z0-9_.-]/g, '-').slice(0, 100);
  return { volume: `${prefix}-${name}`, target };
}

function fieldsOf(mount: string): Partial<Record<string, string>> {
  const pairs = mount.split(',').map((part) => part.split('=', 2));
  const fields = Object.fromEntries(pairs.map(([name = '', value = '']) => [name.trim(), value.trim()]));
  return {
    ...fields,
    source: fields.source ?? fields.src,
    target: fields.target ?? fields.dst ?? fields.destination,
  };
}

function text(mount: Mount): string {
  return typeof mount === 'string' ? mount : `${mount.source ?? ''} at ${mount.target}`;
}
