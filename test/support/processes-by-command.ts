import { readdirSync, readFileSync } from 'node:fs';

/** Ids of the processes of this machine whose command line holds this; its words end with NUL. */
export function processesByCommand(text: string): string[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && commandLineOf(name).includes(text));
}

function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    // It has ended meanwhile.
    return '';
  }
}
