import { chmodSync, mkdirSync } from 'node:fs';

/** A folder that only this user can enter, also when it was there already with other rights. */
export function privateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chmodSync(path, 0o700);
}
