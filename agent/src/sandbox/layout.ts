import { lstatSync, readlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What a sandbox sees beside the system. */
export interface SandboxView {
  readonly workDir: string;
  /** At the same path inside. */
  readonly writable?: readonly string[];
  /** At the same path inside. */
  readonly readable?: readonly string[];
  readonly mounts?: readonly { readonly from: string; readonly to: string }[];
}

const temporaryBytes = 256 * 1024 ** 2;
/** Programs and their libraries; the tools of a node lie in the last but one. */
const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/opt/berth', '/nix/store'];
/** What programs need to find hosts, trust certificates and load libraries. */
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

/** @param accounts folder with the users and groups that the sandbox knows */
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

/** Outermost first. bubblewrap would make them for itself alone. */
function foldersAbove(path: string): string[] {
  const above = dirname(path);
  return above === '/' || above === '/tmp' ? [] : [...foldersAbove(above), above];
}
