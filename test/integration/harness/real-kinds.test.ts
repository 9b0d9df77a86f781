import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AcpConnection } from '../../../agent/src/harness/acp/acp-connection.js';
import { SeenToolCalls } from '../../../agent/src/harness/acp/seen-tool-calls.js';
import { SessionUpdates } from '../../../agent/src/harness/acp/session-updates.js';
import { endProcess } from '../../../agent/src/harness/end-process.js';
import { limitMs } from '../../support/limit-ms.js';
import { FakeControlPlane } from '../agent/fake-control-plane.js';
import { noSettings, ReceivedUpdates } from './harness-fixture.js';
import { RealKinds, realKinds, versionOf } from './real-kinds.js';

const minutes = 60_000;
const usual = { loadSession: true, mcpCapabilities: { http: true } };
const announced: Partial<Record<(typeof realKinds)[number], object>> = {
  'mistral-vibe': { loadSession: true, sessionCapabilities: { list: {}, close: {} } },
  amp: { loadSession: false },
};
/** The adapter does not announce its version. */
const ampAnnounces = '0.1.0';
let fake: FakeControlPlane;
let real: RealKinds;

beforeAll(async () => {
  fake = await FakeControlPlane.start();
  real = new RealKinds(fake);
});

afterAll(async () => {
  real[Symbol.dispose]();
  await fake[Symbol.asyncDispose]();
});

describe('a real harness', () => {
  it.concurrent.each(realKinds)(
    '%s is installed, starts, and answers as its record says',
    { timeout: limitMs(4 * minutes) },
    async (type) => {
      const installed = await real.install(type);
      if (!installed) return;
      const { kind, workspace, workDir, log, texts, launcher } = installed;
      const environment = { ...kind.environment(noSettings, 'api-key'), [kind.apiKeyVariable]: 'no-key' };
      const process = await launcher.launch({
        workspace,
        sessionId: type,
        argv: kind.command,
        workDir,
        environment,
      });
      const listener = new ReceivedUpdates();
      const ms = 60_000;
      const connection = new AcpConnection({
        stdin: process.stdin,
        stdout: process.stdout,
        listener,
        permissionMode: null,
        elicitation: undefined,
        toolCalls: new SeenToolCalls(new Set()),
        updates: new SessionUpdates(listener, log),
        texts,
        timeouts: {
          initializeMs: ms,
          newSessionMs: ms,
          loadSessionMs: ms,
          settingsMs: ms,
          serializeMs: 5_000,
        },
        onLimits: () => undefined,
        backgroundWork: { maxBytes: 65_536, maxTasks: 256, maxIdBytes: 256 },
      });

      const answer = await connection.initialize();
      await endProcess(process);

      expect(answer.protocolVersion).toBe(1);
      expect(answer.agentCapabilities).toMatchObject(announced[type] ?? usual);
      expect(answer.agentInfo?.version).toBe(type === 'amp' ? ampAnnounces : versionOf(type));
    },
  );
});
