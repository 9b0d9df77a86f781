// POST /api/workspaces/{workspaceId}/sleep
import { setTimeout as delay } from 'node:timers/promises';
import { sleepWorkspace } from '../../domain/sagas/sleep-workspace.js';
import { sleepFailed } from '../../domain/snapshots/errors.js';
import { findSnapshot } from '../../domain/snapshots/snapshot.js';
import { findOwnWorkspace, findWorkspace } from '../../domain/workspaces/find-workspace.js';
import type { Workspace } from '../../domain/workspaces/workspace.js';
import { sagasOf } from '../../edge/sagas.js';
import { sessionRoute } from '../../edge/session-route.js';
import type { Table } from '../../shared/table.js';
import { sleep as contract } from './contract.js';

const sagas = sagasOf('sleep-workspace');
/** Shorter than the timeout of the function. */
const waitMs = 20_000;
const pollMs = 500;

export const handler = sessionRoute(contract, async ({ params, user, table, now, newId, log }) => {
  const { workspaceId } = params;
  const seen = await findOwnWorkspace(table, workspaceId, user.userId);
  if (!isAsleep(seen)) {
    const request = { workspaceId, by: 'person', now, newId } as const;
    const claim = await sleepWorkspace({ table, sagas }, request, (error) =>
      log.error('Sleep not started; the sweep starts it', { workspaceId, error }),
    );
    const still = await waitWhile(table, workspaceId, claim.claimId);
    const { chatSessionId } = claim;
    if (still) return { status: 202, body: { status: still, workspaceId, chatSessionId } };
  }
  return { status: 200, body: await resultOf(table, workspaceId) };
});

const isAsleep = ({ status, sleep }: Pick<Workspace, 'status' | 'sleep'>): boolean =>
  status === 'sleeping' && !sleep;

/** The phase of the sleep when the time is up; undefined once it has ended. */
async function waitWhile(table: Table, workspaceId: string, claimId: string) {
  const until = Date.now() + waitMs;
  for (;;) {
    const { sleep } = (await findWorkspace(table, workspaceId)) ?? {};
    if (sleep?.claimId !== claimId) return undefined;
    if (Date.now() >= until) return sleep.phase;
    await delay(pollMs);
  }
}

/** @throws {sleepFailed} */
async function resultOf(table: Table, workspaceId: string) {
  const workspace = await findWorkspace(table, workspaceId);
  const snapshot = await findSnapshot(table, workspaceId);
  if (!workspace || !snapshot || !isAsleep(workspace) || !workspace.asleep)
    throw sleepFailed(snapshot?.captureError ?? 'A message, a stop or a deletion came first.');
  const { chatSessionId } = snapshot;
  const { snapshotExpiresAt } = workspace.asleep;
  return { status: 'sleeping', workspaceId, chatSessionId, snapshotExpiresAt } as const;
}
