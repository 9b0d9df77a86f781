import { previewLabel } from '../../../protocol/preview-host.js';
import type { Table } from '../../shared/table.js';
import { type NodeZone, upsertRecords } from '../nodes/node-dns.js';
import { changeWorkspace } from './change-workspace.js';
import { removeDnsName } from './confirm-deletion.js';
import { previewPortLimitReached, workspaceNotInState } from './errors.js';
import type { Workspace } from './workspace.js';

/** Ports of one workspace with a host of their own. */
export const maxPreviewPorts = 20;
/** Route 53 answers for a new name within this time; earlier answers are cached as missing. */
export const nameSettlesMs = 60_000;

export interface PortToName {
  readonly workspace: Workspace;
  readonly port: number;
  readonly now: Date;
}

/**
 * Writes the DNS name of a port. Returns when the name resolves. A new port is two table calls and
 * one change of the zone, a port with a name none. A repeat after a crash completes the first call.
 *
 * @throws {workspaceNotInState} it stopped
 * @throws {previewPortLimitReached} 20 other ports have a name
 */
export async function namePort(
  table: Table,
  zone: NodeZone | undefined,
  { workspace, port, now }: PortToName,
): Promise<Date> {
  const { workspaceId, namedAddress, previewPorts, namedPorts, previewNamedAt } = workspace;
  if (!zone || !namedAddress) return now;
  if (namedPorts?.has(String(port))) return laterOf(now, settled(previewNamedAt));
  // Before the name exists, so that it is always removed.
  if (!previewPorts?.has(String(port))) await list(table, { workspace, port, now });
  await upsertRecords(zone, [`${previewLabel({ workspaceId, port })}.${zone.domain}`], namedAddress);
  const stopped = await confirm(table, { workspace, port, now });
  if (stopped === null) return settled(now.toISOString());
  // The removal of its names may have been before this name existed.
  await removeDnsName(zone, stopped);
  throw notInState(stopped);
}

const settled = (namedAt: string | undefined): Date =>
  new Date(namedAt === undefined ? 0 : Date.parse(namedAt) + nameSettlesMs);
const laterOf = (one: Date, other: Date): Date => (one < other ? other : one);

const notInState = (workspace: Workspace | undefined): Error =>
  workspaceNotInState(workspace?.status ?? 'deleted', 'Open the port again when the workspace is running.');

const whileItRuns = ({ generation, namedAddress }: Workspace) => ({
  equals: { generation, ...(namedAddress === undefined ? {} : { namedAddress }) },
  oneOf: { status: ['running', 'recovering'] as const },
});

async function list(table: Table, { workspace, port, now }: PortToName): Promise<void> {
  const listed = await changeWorkspace(table, {
    workspaceId: workspace.workspaceId,
    addTo: { previewPorts: String(port) },
    when: { ...whileItRuns(workspace), fewerThan: { previewPorts: maxPreviewPorts } },
    isInternal: true,
    now,
  });
  if (listed.changed || listed.workspace?.previewPorts?.has(String(port))) return;
  if ((listed.workspace?.previewPorts?.size ?? 0) < maxPreviewPorts) throw notInState(listed.workspace);
  throw previewPortLimitReached(maxPreviewPorts);
}

/** Records that the name exists. Returns the workspace if it stopped before. */
async function confirm(
  table: Table,
  { workspace, port, now }: PortToName,
): Promise<Workspace | undefined | null> {
  const confirmed = await changeWorkspace(table, {
    workspaceId: workspace.workspaceId,
    addTo: { namedPorts: String(port) },
    set: { previewNamedAt: now.toISOString() },
    when: whileItRuns(workspace),
    isInternal: true,
    now,
  });
  return confirmed.changed ? null : confirmed.workspace;
}
