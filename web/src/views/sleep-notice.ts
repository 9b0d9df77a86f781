import type { Workspace } from '../records.js';
import { clock, day } from '../times.js';

/** What a person has to know of a workspace that sleeps, falls asleep or wakes; else null. */
export function sleepNotice(workspace: Workspace): string | null {
  const { status, sleepPhase, wake } = workspace;
  if (sleepPhase === 'capturing') return 'Going to sleep: saving files and conversations.';
  if (sleepPhase === 'stopping') return 'Going to sleep: stopping its processes.';
  if (wake) return waking(wake);
  return status === 'sleeping' ? asleep(workspace) : null;
}

function waking({ claimedAt, attempt, phase }: NonNullable<Workspace['wake']>): string {
  const act = phase === 'placing' ? 'looking for a place on a node' : 'restoring files and conversations';
  return `Waking since ${clock(claimedAt)}: ${act}.${attempt > 1 ? ` Attempt ${attempt}.` : ''}`;
}

function asleep({ wakeFailure, snapshotExpiresAt }: Workspace): string {
  const until = snapshotExpiresAt ? `, and are kept until ${day(snapshotExpiresAt)}` : '';
  const failure = wakeFailure ? ` The last wake failed: ${wakeFailure.reason}` : '';
  return `Asleep. Its files and conversations are saved${until}. A message to its chat wakes it.${failure}`;
}
