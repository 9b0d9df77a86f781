import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Of the package libnss3-tools. */
export const certutil: string | undefined = [process.env.BERTH_CERTUTIL, '/usr/bin/certutil'].find(
  (path) => path && existsSync(path),
);

/** A home folder whose NSS database trusts this authority, as a person's who has imported it. */
export function homeThatTrusts(tool: string, authorityPem: string): string {
  const home = mkdtempSync(join(tmpdir(), 'berth-home-'));
  const database = join(home, '.pki', 'nssdb');
  const authority = join(home, 'authority.pem');
  mkdirSync(database, { recursive: true });
  writeFileSync(authority, authorityPem);
  const run = (...args: string[]) => execFileSync(tool, ['-d', `sql:${database}`, ...args]);
  run('-N', '--empty-password');
  run('-A', '-t', 'C,,', '-n', 'authority of the test', '-i', authority);
  return home;
}
