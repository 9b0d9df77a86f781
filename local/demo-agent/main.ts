import { Readable, Writable } from 'node:stream';
import { type AgentContext, agent, methods, ndJsonStream } from '@agentclientprotocol/sdk';
import { demoModel } from './model.js';
import { runDemo } from './script.js';

/**
 * The demo agent of the laptop: a coding agent without a model. It follows a script, and says so.
 */
const folders = new Map<string, string>();
const turns = new Map<string, AbortController>();

const settings = {
  modes: {
    currentModeId: 'build',
    availableModes: ['build', 'plan'].map((id) => ({ id, name: id })),
  },
  configOptions: [
    {
      ...{ type: 'select' as const, id: 'model', name: 'Model', category: 'model' as const },
      ...{ currentValue: demoModel, options: [{ value: demoModel, name: 'None: a script' }] },
    },
  ],
};

/** The person's words are the last block; Berth's instructions are before them. */
function messageOf(blocks: readonly { readonly type: string }[]): string {
  return blocks.flatMap((block) => ('text' in block ? [String(block.text)] : [])).at(-1) ?? '';
}

async function prompt(sessionId: string, message: string, client: AgentContext) {
  const turn = new AbortController();
  turns.set(sessionId, turn);
  const folder = folders.get(sessionId) ?? process.cwd();
  await runDemo({ client, sessionId, folder, message, signal: turn.signal });
  return { stopReason: turn.signal.aborted ? ('cancelled' as const) : ('end_turn' as const) };
}

const app = agent({ name: 'berth-demo-agent' })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: 1,
    agentInfo: { name: 'berth-demo-agent', version: '1' },
    agentCapabilities: { loadSession: false, mcpCapabilities: { http: true } },
  }))
  .onRequest(methods.agent.session.new, ({ params }) => {
    const sessionId = crypto.randomUUID();
    folders.set(sessionId, params.cwd);
    return { sessionId, ...settings };
  })
  .onRequest(methods.agent.session.prompt, ({ params, client }) =>
    prompt(params.sessionId, messageOf(params.prompt), client),
  )
  .onRequest(methods.agent.session.setMode, () => ({}))
  .onRequest(methods.agent.session.setConfigOption, () => ({ configOptions: settings.configOptions }))
  .onNotification(methods.agent.session.cancel, ({ params }) => turns.get(params.sessionId)?.abort());

process.stdout.on('error', () => undefined);
const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
const connection = app.connect(ndJsonStream(Writable.toWeb(process.stdout), input));
await connection.closed;
process.exit(0);
