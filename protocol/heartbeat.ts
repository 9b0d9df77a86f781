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
export const Heartbeat = z.strictObject({
  agentVersion: shortText,
  activeWorkspaces: z.int().check(z.gte(0)),
  /**
   * Workspaces that got terminal input or port requests since the last accepted heartbeat, or whose
   * agent works outside of a project.
   */
  usedWorkspaces: z.optional(z.array(Ulid).check(z.maxLength(64))),
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
