import * as z from 'zod/mini';
import { Ulid } from './ids.js';

const shortText = z.string().check(z.minLength(1), z.maxLength(200));

export const ContainerMetric = z.strictObject({
  workspaceId: Ulid,
  memoryBytes: z.number(),
  memoryLimitBytes: z.nullable(z.number()),
  cpuPercent: z.number(),
  processes: z.int(),
});
/** Browsers get this certificate from a node that orders one for its address. */
export const CertificateReport = z.strictObject({
  /** `own`: its own certificate, which no browser trusts, before the first order. */
  state: z.enum(['own', 'ordering', 'issued', 'renewing', 'failed']),
  /** End of the issued certificate; absent while browsers get the node's own. */
  expiresAt: z.optional(z.iso.datetime()),
  /** Why the last order failed. */
  reason: z.optional(z.string().check(z.maxLength(500))),
  nextAttemptAt: z.optional(z.iso.datetime()),
});
export type CertificateReport = z.infer<typeof CertificateReport>;

export const Heartbeat = z.strictObject({
  agentVersion: shortText,
  activeWorkspaces: z.int().check(z.gte(0)),
  /**
   * Workspaces that got terminal input or port requests since the last accepted heartbeat, or whose
   * agent works outside of a project.
   */
  usedWorkspaces: z.optional(z.array(Ulid).check(z.maxLength(64))),
  /** Only of a node that orders certificates. */
  certificate: z.optional(CertificateReport),
  metrics: z.optional(
    z.strictObject({
      version: z.literal(1),
      cpuLoadAvg1: z.number(),
      memoryPercent: z.number(),
      diskPercent: z.number(),
      creatingWorkspaces: z.int(),
      containers: z._default(z.array(ContainerMetric).check(z.maxLength(64)), []),
    }),
  ),
});
export type Heartbeat = z.infer<typeof Heartbeat>;
