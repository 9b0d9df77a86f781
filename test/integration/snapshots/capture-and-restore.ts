import { join } from 'node:path';
import { Log } from '../../../agent/src/shared/log.js';
import { readObject, uploadObject } from '../../../agent/src/snapshots/object-transfer.js';
import type { SnapshotLimits } from '../../../agent/src/snapshots/snapshot-budget.js';
import { type CaptureRequest, WorkspaceCapture } from '../../../agent/src/snapshots/workspace-capture.js';
import { WorkspaceRestore } from '../../../agent/src/snapshots/workspace-restore.js';
import type { SnapshotConfig } from '../../../protocol/snapshot-callbacks.js';
import { defaultSnapshotLimits, type SnapshotManifest } from '../../../protocol/snapshots.js';
import type { LocalWorkspace } from './local-workspace.js';
import type { ObjectStore } from './object-store.js';

type Addresses = Pick<ObjectStore, 'url'>;

const log = new Log({ level: 'error', format: 'json' }, () => undefined);
const config: SnapshotConfig = {
  totalBudgetBytes: defaultSnapshotLimits.totalBytes,
  entryThresholdBytes: defaultSnapshotLimits.entryBytes,
  maxEntries: defaultSnapshotLimits.entries,
  transferIdleTimeoutMs: 30_000,
};

interface Capture {
  readonly limits?: Partial<SnapshotLimits>;
  readonly upload: CaptureRequest['upload'];
  readonly signal?: AbortSignal;
}

type Machine = Pick<LocalWorkspace, 'commands' | 'folder' | 'workspace'>;

/** Captures the workspace, as an agent does. */
export function capture(
  machine: Machine,
  { limits = {}, upload, signal = AbortSignal.timeout(60_000) }: Capture,
) {
  return new WorkspaceCapture(machine.commands, join(machine.folder, 'state'), log).run({
    subject: {
      workspace: machine.workspace,
      agentSessionId: 'session-1',
      sessions: () => [],
      terminals: async () => [],
    },
    chatSessionId: 'chat-1',
    limits: { ...defaultSnapshotLimits, ...limits },
    onStep: () => undefined,
    upload,
    signal,
  });
}

/** Captures the workspace into the store. */
export function captureInto(store: Addresses, machine: LocalWorkspace, limits: Partial<SnapshotLimits> = {}) {
  const signal = AbortSignal.timeout(60_000);
  const upload: CaptureRequest['upload'] = (artifact, { path, object: { sizeBytes } }) => {
    const url = store.url(artifact);
    return uploadObject({ body: readObject(path), sizeBytes, url, headers: {}, signal });
  };
  return capture(machine, { limits, upload, signal });
}

/** Restores what `captureInto` stored. */
export function restoreFrom(
  store: Addresses,
  machine: Machine,
  manifest: SnapshotManifest,
  limits: Partial<SnapshotConfig> = {},
) {
  const download = { home: store.url('home'), wip: store.url('wip') };
  return new WorkspaceRestore(machine.commands, join(machine.folder, 'state'), log).run({
    workspace: machine.workspace,
    plan: { manifest, download, config: { ...config, ...limits } },
    onStep: () => undefined,
    signal: AbortSignal.timeout(60_000),
  });
}
