export interface ProcessIdentity {
  readonly pid: number;
  readonly born: string;
}

export function identify(pid: number): ProcessIdentity | undefined;
export function isAlive(identity: ProcessIdentity): boolean;
/** Nothing when that process is gone. */
export function parentOf(pid: number): number | undefined;
