import * as z from 'zod/mini';
import { logLevels } from '../src/shared/log.js';
import type { AgentContracts } from './contract.js';
import { EventList, EventPageQuery } from './events.js';
import { type LogLimits, logQuery } from './log-query.js';

const Container = z.strictObject({
  id: z.string(),
  name: z.string(),
  image: z.string(),
  state: z.string(),
  status: z.string(),
});
const LogEntry = z.strictObject({
  timestamp: z.iso.datetime(),
  level: z.enum(logLevels),
  source: z.string(),
  message: z.string(),
  metadata: z.optional(z.unknown()),
});
const LogPage = z.strictObject({
  entries: z.array(LogEntry),
  nextCursor: z.nullable(z.string()),
  hasMore: z.boolean(),
  unavailable: z.array(z.strictObject({ source: z.string(), reason: z.string() })),
});
const PressureLevel = z.enum(['none', 'warning', 'critical']);
const Stall = z.strictObject({
  avg10: z.number(),
  avg60: z.number(),
  avg300: z.number(),
  total: z.number(),
});
const Pressure = z.strictObject({
  level: PressureLevel,
  memory: z.strictObject({
    isAvailable: z.boolean(),
    level: PressureLevel,
    pressure: z.nullable(z.strictObject({ some: Stall, full: Stall })),
    collectedAt: z.nullable(z.iso.datetime()),
  }),
  disk: z.strictObject({ level: PressureLevel }),
  droppedEvents: z.int(),
  containers: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      workspaceId: z.optional(z.string()),
      cpuPercent: z.number(),
      memoryBytes: z.number(),
      memoryLimitBytes: z.number(),
      memoryPercent: z.number(),
      pids: z.int(),
      collectedAt: z.iso.datetime(),
    }),
  ),
});
const SystemInfo = z.strictObject({
  cpu: z.strictObject({
    loadAvg1: z.number(),
    loadAvg5: z.number(),
    loadAvg15: z.number(),
    numCpu: z.int(),
  }),
  memory: z.strictObject({ totalBytes: z.int(), freeBytes: z.int(), usedPercent: z.number() }),
  disk: z.strictObject({
    totalBytes: z.int(),
    availableBytes: z.int(),
    usedPercent: z.number(),
    mountPath: z.string(),
  }),
  uptime: z.strictObject({ seconds: z.int() }),
  /** Null in the standalone role. */
  pressure: z.nullable(Pressure),
  docker: z.strictObject({
    version: z.nullable(z.string()),
    containers: z.int(),
    containerList: z.array(Container),
    error: z.optional(z.string()),
  }),
  software: z.strictObject({ kernel: z.string(), nodeVersion: z.string() }),
  agent: z.strictObject({
    version: z.string(),
    uptimeSeconds: z.int(),
    rssBytes: z.int(),
    heapBytes: z.int(),
  }),
});

/** The limits are settings of the node. */
export function logContracts(limits: LogLimits) {
  const query = logQuery(limits);
  return {
    followLogs: {
      method: 'get',
      path: '/logs/stream',
      token: 'diagnostics',
      summary: 'Socket: read the newest log entries, then follow the logs',
      description:
        'Frames: docs/agent-sockets.md. Takes the query of `/logs`; `cursor` and `limit` have no effect.',
      query,
      responses: { 101: null },
    },
    logs: {
      method: 'get',
      path: '/logs',
      token: 'diagnostics',
      summary: 'List log entries, newest first',
      query,
      responses: { 200: LogPage },
    },
  } satisfies AgentContracts;
}

export const diagnosticContracts = {
  systemInfo: {
    method: 'get',
    path: '/system-info',
    token: 'diagnostics',
    summary: 'Read the load and the software of this machine',
    responses: { 200: SystemInfo },
  },
  listContainers: {
    method: 'get',
    path: '/containers',
    token: 'diagnostics',
    summary: 'List the running containers of this node',
    responses: { 200: z.strictObject({ containers: z.array(Container) }) },
  },
  nodeEvents: {
    method: 'get',
    path: '/events',
    token: 'diagnostics',
    summary: 'List the events of the node, newest first',
    query: EventPageQuery,
    responses: { 200: EventList },
  },
  exportEvents: {
    method: 'get',
    path: '/events/export',
    token: 'diagnostics',
    summary: 'Export all events as an SQLite database',
    responses: { 200: 'application/x-sqlite3' },
  },
  exportMetrics: {
    method: 'get',
    path: '/metrics/export',
    token: 'diagnostics',
    summary: "Export the machine's load of the last seven days as an SQLite database",
    responses: { 200: 'application/x-sqlite3' },
  },
  ...logContracts({ defaultLimit: 200, maxLimit: 1_000 }),
  debugPackage: {
    method: 'get',
    path: '/debug-package',
    token: 'diagnostics',
    summary: 'Download logs, events, metrics and settings of this node as .tar.gz, without secrets',
    responses: { 200: 'application/gzip' },
  },
} satisfies AgentContracts;
