import { lstatSync, readlinkSync } from 'node:fs';
import { access, constants, realpath } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';

/** What a sandbox sees in addition to the system. */
export interface SandboxView {
  readonly workDir: string;
  /** At the same path inside. */
  readonly writable?: readonly string[];
  /** At the same path inside. */
  readonly readable?: readonly string[];
  readonly mounts?: readonly { readonly from: string; readonly to: string }[];
}

const temporaryBytes = 256 * 1024 ** 2;
/** Programs and libraries; /opt/berth has the tools of a node. */
const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/opt/berth', '/nix/store'];
/** Needed to resolve hosts, trust certificates and load libraries. */
const settings = [
  'alternatives',
  'ca-certificates',
  'gai.conf',
  'host.conf',
  'hosts',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'localtime',
  'nsswitch.conf',
  'pki',
  'protocols',
  'resolv.conf',
  'services',
  'ssl',
];

/** @param accounts folder with the passwd and group files of the sandbox */
export function systemArguments(accounts: string): string[] {
  return [
    ...systemFolders.flatMap(systemFolder),
    ...folder('/etc'),
    ...settings.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]),
    ...['passwd', 'group'].flatMap((name) => ['--ro-bind', join(accounts, name), `/etc/${name}`]),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...['--perms', '1777', '--size', String(temporaryBytes), '--tmpfs', '/tmp'],
  ];
}

export function viewArguments({ writable = [], readable = [], mounts = [] }: SandboxView): string[] {
  const places = [...writable, ...readable, ...mounts.map(({ to }) => to)];
  return [
    ...[...new Set(places.flatMap(foldersAbove))].flatMap(folder),
    ...writable.flatMap((path) => ['--bind', path, path]),
    ...readable.flatMap((path) => ['--ro-bind', path, path]),
    ...mounts.flatMap(({ from, to }) => ['--ro-bind', from, to]),
    ...['--remount-ro', '/'],
  ];
}

function systemFolder(path: string): string[] {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return [];
  return found.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
}

function folder(path: string): string[] {
  return ['--perms', '0755', '--dir', path];
}

/** Outermost first. bubblewrap would create them with mode 0700. */
function foldersAbove(path: string): string[] {
  const above = dirname(path);
  return above === '/' || above === '/tmp' ? [] : [...foldersAbove(above), above];
}

/** The path of a program on PATH, or null. */
export async function findProgram(name: string): Promise<string | null> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, name);
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (folder && isThere) return path;
  }
  return null;
}

/** The program and the target of its link, as far as sandboxes do not see them anyway. */
export async function programPaths(path: string): Promise<string[]> {
  const paths = new Set([path, await realpath(path)]);
  return [...paths].filter((found) => !/^\/(?:usr|bin|sbin|opt\/berth|nix\/store)\//.test(found));
}
