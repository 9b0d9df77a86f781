import { spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import {
  type AgentContext,
  agent,
  type McpServer,
  methods,
  ndJsonStream,
  RequestError,
} from '@agentclientprotocol/sdk';
import { record } from './journal.js';
import { type HarnessScript, type Moment, readScript } from './script.js';
import { Sessions } from './sessions.js';
import { runTurn } from './turn.js';

/** An ACP agent process that a test controls: `node main.mjs <script file>`. */
const scriptPath = process.argv[2] ?? '';
const turns = new Map<string, AbortController>();
const mcpServers = new Map<string, readonly McpServer[]>();

function script(): HarnessScript {
  return readScript(scriptPath);
}

async function pass(moment: Moment): Promise<void> {
  const { crashAt, hangAt } = script();
  if (crashAt === moment) process.exit(3);
  if (hangAt === moment) await new Promise(() => setInterval(() => undefined, 60_000));
}

function note(entry: Parameters<typeof record>[1]): void {
  record(script().journal, entry);
}

function sessions(): Sessions {
  return new Sessions(script().sessions);
}

function settings() {
  const { modes, models } = script();
  return {
    ...(modes[0] === undefined
      ? {}
      : { modes: { currentModeId: modes[0], availableModes: modes.map((id) => ({ id, name: id })) } }),
    ...(models[0] === undefined
      ? {}
      : {
          configOptions: [
            {
              type: 'select' as const,
              id: 'the-model',
              name: 'Model',
              category: 'model' as const,
              currentValue: models[0],
              options: models.map((value) => ({ value, name: value })),
            },
          ],
        }),
  };
}

/** Updates that real harnesses send before the first prompt. */
async function announce(sessionId: string, client: AgentContext): Promise<void> {
  const availableCommands = script().commands.map((name) => ({ name, description: name }));
  if (availableCommands.length === 0) return;
  await client.notify(methods.client.session.update, {
    sessionId,
    update: { sessionUpdate: 'available_commands_update', availableCommands },
  });
}

async function load(sessionId: string, client: AgentContext): Promise<void> {
  note({ event: 'load', sessionId });
  await pass('load');
  const { liesOnLoad, repeatsHistory } = script();
  if (!sessions().has(sessionId)) {
    if (!liesOnLoad) throw RequestError.sessionNotFound(sessionId);
    return;
  }
  if (!repeatsHistory) return;
  for (const { role, text } of sessions().history(sessionId)) {
    const sessionUpdate = role === 'user' ? 'user_message_chunk' : 'agent_message_chunk';
    await client.notify(methods.client.session.update, {
      sessionId,
      update: { sessionUpdate, content: { type: 'text', text } },
    });
  }
}

async function prompt(sessionId: string, text: string, client: AgentContext) {
  note({ event: 'prompt', sessionId, text });
  if (!sessions().has(sessionId)) throw RequestError.sessionNotFound(sessionId);
  await pass('prompt');
  sessions().add(sessionId, { role: 'user', text });
  const turn = new AbortController();
  turns.set(sessionId, turn);
  let answer = '';
  const stopReason = await runTurn({
    script: script(),
    client,
    sessionId,
    text,
    mcpServers: mcpServers.get(sessionId) ?? [],
    signal: turn.signal,
    say: async (said) => {
      answer += said;
      await client.notify(methods.client.session.update, {
        sessionId,
        update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: said } },
      });
    },
  });
  sessions().add(sessionId, { role: 'assistant', text: answer });
  note({ event: 'end', sessionId, text, data: stopReason });
  if (script().crashAt === 'after_prompt') setImmediate(() => process.exit(3));
  return { stopReason };
}

function textOf(blocks: readonly { readonly type: string }[]): string {
  return blocks.map((block) => ('text' in block ? String(block.text) : '')).join('\n');
}

const app = agent({ name: 'acp-harness' })
  .onRequest(methods.agent.initialize, async ({ params }) => {
    note({ event: 'initialize', data: params.clientCapabilities });
    await pass('initialize');
    const { supports } = script();
    return {
      protocolVersion: 1,
      agentInfo: { name: 'acp-harness', version: '1' },
      agentCapabilities: {
        loadSession: supports.includes('load'),
        mcpCapabilities: { http: supports.includes('http_mcp') },
        sessionCapabilities: {
          ...(supports.includes('list') ? { list: {} } : {}),
          ...(supports.includes('close') ? { close: {} } : {}),
        },
      },
    };
  })
  .onRequest(methods.agent.session.new, async ({ params, client }) => {
    await pass('new');
    const sessionId = sessions().create();
    mcpServers.set(sessionId, params.mcpServers);
    note({ event: 'new', sessionId, data: params });
    await announce(sessionId, client);
    return { sessionId, ...settings() };
  })
  .onRequest(methods.agent.session.load, async ({ params, client }) => {
    await load(params.sessionId, client);
    mcpServers.set(params.sessionId, params.mcpServers);
    await announce(params.sessionId, client);
    return settings();
  })
  .onRequest(methods.agent.session.list, async ({ params }) => ({
    sessions: sessions()
      .ids()
      .map((sessionId) => ({ sessionId, cwd: params.cwd ?? '/' })),
  }))
  .onRequest(methods.agent.session.prompt, ({ params, client }) =>
    prompt(params.sessionId, textOf(params.prompt), client),
  )
  .onRequest(methods.agent.session.setMode, async ({ params }) => {
    note({ event: 'mode', sessionId: params.sessionId, text: params.modeId });
    if (!script().modes.includes(params.modeId)) throw new RequestError(-32_602, 'No such mode');
    return {};
  })
  .onRequest(methods.agent.session.setConfigOption, async ({ params }) => {
    note({ event: 'option', sessionId: params.sessionId, text: String(params.value) });
    return { configOptions: [] };
  })
  .onRequest(methods.agent.session.close, async ({ params }) => {
    note({ event: 'close', sessionId: params.sessionId });
    turns.get(params.sessionId)?.abort();
    return {};
  })
  .onNotification(methods.agent.session.cancel, ({ params }) => {
    note({ event: 'cancel', sessionId: params.sessionId });
    if (!script().ignoresCancel) turns.get(params.sessionId)?.abort();
  });

const child = script().leavesChild ? spawn('sleep', ['600'], { detached: true, stdio: 'ignore' }) : null;
note({ event: 'process', data: { cwd: process.cwd(), argv: process.argv.slice(2) } });
if (child) note({ event: 'child', data: child.pid });
child?.unref();
if (script().stderr) process.stderr.write(script().stderr);
if (script().ignoresEnd) {
  process.on('SIGTERM', () => undefined);
  setInterval(() => undefined, 60_000);
}
await pass('start');
// A closed client is no error.
process.stdout.on('error', () => undefined);
const input: ReadableStream<Uint8Array> = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
const connection = app.connect(ndJsonStream(Writable.toWeb(process.stdout), input));
await connection.closed;
if (!script().ignoresEnd) process.exit(0);
