import { readdirSync, readFileSync } from 'node:fs';

/** Ids of processes whose command line contains the text. NUL ends each argument. */
export function processesByCommand(text: string): string[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && commandLineOf(name).includes(text));
}

function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    // The process has ended.
    return '';
  }
}
