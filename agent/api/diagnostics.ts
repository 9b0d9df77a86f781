import * as z from 'zod/mini';
import { logQuery } from '../src/diagnostics/log-query.js';
import { EventPageQuery } from '../src/http/event-page.js';
import { logLevels } from '../src/shared/log.js';
import type { AgentContracts } from './contract.js';
import { EventList } from './events.js';

const Query = logQuery({ defaultLimit: 200, maxLimit: 1_000 });
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

export const diagnosticContracts = {
  systemInfo: {
    method: 'get',
    path: '/system-info',
    token: 'diagnostics',
    summary: 'What this machine is and how it is doing',
    answers: { 200: SystemInfo },
  },
  listContainers: {
    method: 'get',
    path: '/containers',
    token: 'diagnostics',
    summary: 'Running containers of this node',
    answers: { 200: z.strictObject({ containers: z.array(Container) }) },
  },
  nodeEvents: {
    method: 'get',
    path: '/events',
    token: 'diagnostics',
    summary: 'What happened on the node, newest first',
    query: EventPageQuery,
    answers: { 200: EventList },
  },
  exportEvents: {
    method: 'get',
    path: '/events/export',
    token: 'diagnostics',
    summary: 'All events as an SQLite database',
    answers: { 200: 'application/x-sqlite3' },
  },
  exportMetrics: {
    method: 'get',
    path: '/metrics/export',
    token: 'diagnostics',
    summary: "The machine's load of the last seven days as an SQLite database",
    answers: { 200: 'application/x-sqlite3' },
  },
  followLogs: {
    method: 'get',
    path: '/logs/stream',
    token: 'diagnostics',
    summary: 'Socket: the newest log entries, and then what comes',
    description: 'Frames: docs/agent-sockets.md. Takes what `/logs` takes; cursor and limit have no effect.',
    query: Query,
    answers: { 101: null },
  },
  logs: {
    method: 'get',
    path: '/logs',
    token: 'diagnostics',
    summary: 'Log entries, newest first',
    query: Query,
    answers: {
      200: z.strictObject({
        entries: z.array(LogEntry),
        nextCursor: z.nullable(z.string()),
        hasMore: z.boolean(),
        unavailable: z.array(z.strictObject({ source: z.string(), reason: z.string() })),
      }),
    },
  },
  debugPackage: {
    method: 'get',
    path: '/debug-package',
    token: 'diagnostics',
    summary: 'Everything that helps to understand this node, as .tar.gz without secrets',
    answers: { 200: 'application/gzip' },
  },
} satisfies AgentContracts;
