import * as z from 'zod/mini';
import { BootLogEntry } from '../../protocol/callbacks.js';

/**
 * What the console reads of the API's answers; other fields pass by, so that a newer control plane
 * does no harm.
 */
export const Workspace = z.object({
  id: z.string(),
  projectId: z.nullish(z.string()),
  displayName: z.string(),
  repository: z.nullable(z.string()),
  branch: z.nullable(z.string()),
  status: z.string(),
  version: z.int(),
  generation: z.int(),
  nodeId: z.nullable(z.string()),
  errorMessage: z.nullable(z.string()),
  admissionReason: z.nullable(z.string()),
  admissionQueuePosition: z.nullable(z.int()),
  sleepsAt: z.nullish(z.string()),
  stopsAt: z.nullish(z.string()),
  sleepPhase: z.nullish(z.enum(['capturing', 'stopping'])),
  wake: z.nullish(
    z.object({ claimedAt: z.string(), attempt: z.int(), phase: z.enum(['placing', 'restoring']) }),
  ),
  wakeFailure: z.nullish(z.object({ attempts: z.int(), failedAt: z.string(), reason: z.string() })),
  snapshotExpiresAt: z.nullish(z.string()),
  createdAt: z.string(),
});
export type Workspace = z.infer<typeof Workspace>;

export const BootLog = z.object({ logs: z.array(z.extend(BootLogEntry, { entryId: z.string() })) });
export type BootLogLine = z.infer<typeof BootLog>['logs'][number];

/** The answer to a stop, a restart or a sleep. */
export const StatusReply = z.object({ status: z.string() });
export const DeletionReply = z.object({
  deletionStatus: z.enum(['confirmed', 'pending', 'rejected']),
  reason: z.optional(z.string()),
});

export const TerminalToken = z.object({ token: z.string(), expiresAt: z.int(), workspaceUrl: z.string() });
export type TerminalToken = z.infer<typeof TerminalToken>;
export const PreviewToken = z.object({ token: z.string(), url: z.string() });

/** From the node, by `GET /workspaces/{workspaceId}/ports`. */
export const WorkspacePorts = z.object({
  ports: z.array(z.object({ port: z.int(), label: z.string() })),
  forwardPorts: z.array(z.object({ port: z.int(), label: z.string(), listening: z.boolean() })),
  diagnostics: z.object({ error: z.nullable(z.string()) }),
});
export type WorkspacePorts = z.infer<typeof WorkspacePorts>;
