import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type AgentContext,
  type McpServer,
  methods,
  type ReadTextFileResponse,
  RequestError,
  type RequestPermissionResponse,
  type StopReason,
} from '@agentclientprotocol/sdk';
import { callTool } from './call-tool.js';
import { type Directive, parseDirectives } from './directives.js';
import { readJournal, record } from './journal.js';
import { choicesOf, refusalOf, wordOf } from './request-words.js';
import type { HarnessScript } from './script.js';

export interface Turn {
  readonly script: HarnessScript;
  readonly client: AgentContext;
  readonly sessionId: string;
  readonly text: string;
  /** MCP servers of the session. */
  readonly mcpServers: readonly McpServer[];
  /** Aborted by `session/cancel`, unless the script ignores it. */
  readonly signal: AbortSignal;
  readonly say: (text: string) => Promise<void>;
}

type Act = (turn: Turn, directive: Directive) => Promise<StopReason | undefined>;

/** Executes the directives of a prompt in order. Echoes a prompt without directives. */
export async function runTurn(turn: Turn): Promise<StopReason> {
  const own = parseDirectives(turn.text);
  const directives = own.length > 0 ? own : parseDirectives(turn.script.defaultTurn);
  if (directives.length === 0) await turn.say(`echo: ${turn.text}`);
  for (const directive of directives) {
    const act = acts[directive.name];
    if (!act) throw new RequestError(-32_602, `No such directive: ${directive.name}`);
    const stopReason = await act(turn, directive);
    if (turn.signal.aborted) return 'cancelled';
    if (stopReason) return stopReason;
  }
  return 'end_turn';
}

const acts: Readonly<Record<string, Act>> = {
  /** `[[say words]]` */
  say: async (turn, { rest }) => {
    await turn.say(rest);
    return undefined;
  },
  /** `[[stream count]]`: pieces in sequence, `0 1 2 …`. */
  stream: async (turn, { words }) => {
    for (let index = 0; index < Number(words[0]); index += 1) await turn.say(`${index} `);
    return undefined;
  },
  /** `[[flood count perSecond]]`: pieces without waiting; without a rate, all at once. */
  flood: async (turn, { words: [count, perSecond] }) => {
    const sent: Promise<void>[] = [];
    const startedAt = performance.now();
    while (sent.length < Number(count) && !turn.signal.aborted) {
      const due = perSecond ? ((performance.now() - startedAt) / 1_000) * Number(perSecond) : Number(count);
      while (sent.length < Math.min(due, Number(count))) sent.push(turn.say(`${sent.length} `));
      if (sent.length < Number(count)) await wait(1);
    }
    await Promise.all(sent);
    return undefined;
  },
  /** `[[permission toolKind]]`: prints the decision. */
  permission: async (turn, { words: [kind = 'execute'] }) => {
    const { outcome } = await turn.client.request(methods.client.session.requestPermission, {
      sessionId: turn.sessionId,
      toolCall: { toolCallId: 'call-1', title: `To ${kind}`, kind: kind as 'execute' },
      options: [
        { optionId: 'always', name: 'Always', kind: 'allow_always' },
        { optionId: 'once', name: 'Once', kind: 'allow_once' },
        { optionId: 'no', name: 'No', kind: 'reject_once' },
      ],
    });
    await turn.say(`decided: ${outcome.outcome === 'selected' ? outcome.optionId : 'cancelled'}`);
    return undefined;
  },
  /** `[[ask names]]`: requests all at once. The journal has what each was answered. */
  ask: async (turn, { words }) => {
    await Promise.all(words.map((name) => askPerson(turn, name)));
    return undefined;
  },
  /** `[[read path line limit]]`: prints the content or the error. */
  read: async (turn, { words: [path = '', line, limit] }) => {
    const request = {
      sessionId: turn.sessionId,
      path,
      line: line ? Number(line) : null,
      limit: limit ? Number(limit) : null,
    };
    await reporting(turn, async () => {
      const file = await turn.client.request<ReadTextFileResponse>(methods.client.fs.readTextFile, request);
      return `content: ${file.content}`;
    });
    return undefined;
  },
  /** `[[write path words]]` */
  write: async (turn, { words: [path = '', ...words] }) => {
    const request = { sessionId: turn.sessionId, path, content: words.join(' ') };
    await reporting(turn, async () => {
      await turn.client.request(methods.client.fs.writeTextFile, request);
      return `written: ${path}`;
    });
    return undefined;
  },
  /** `[[sh command]]`: runs a command in the workspace; prints exit code and output. */
  sh: async (turn, { rest }) => {
    const { status, stdout, stderr } = spawnSync('sh', ['-c', rest], { encoding: 'utf8' });
    await turn.say(`sh ${status}: ${stdout}${stderr}`);
    return undefined;
  },
  /** `[[terminal]]`: requests a method that the client does not support. */
  terminal: async (turn) => {
    await reporting(turn, async () => {
      await turn.client.request(methods.client.terminal.create, { sessionId: turn.sessionId, command: 'sh' });
      return 'terminal: made';
    });
    return undefined;
  },
  /** `[[mcp tool json]]`: calls a tool of the control plane; prints the result. */
  mcp: async (turn, { rest, words: [name = ''] }) => {
    await reporting(turn, () => callTool(turn.mcpServers, name, rest.slice(name.length).trim()));
    return undefined;
  },
  /** `[[tool title]]`: a tool call that completes. */
  tool: async ({ client, sessionId }, { rest }) => {
    const call = { toolCallId: `tool-${performance.now()}`, title: rest, kind: 'execute' as const };
    const notify = (update: object) =>
      client.notify(methods.client.session.update, { sessionId, update: { ...call, ...update } as never });
    await notify({ sessionUpdate: 'tool_call', status: 'in_progress' });
    await notify({ sessionUpdate: 'tool_call_update', status: 'completed' });
    return undefined;
  },
  /** `[[output bytes]]`: a tool call with output of this size. */
  output: async ({ client, sessionId }, { words: [bytes] }) => {
    const text = '0123456789'.repeat(Math.ceil(Number(bytes) / 10)).slice(0, Number(bytes));
    const update = {
      sessionUpdate: 'tool_call' as const,
      toolCallId: `tool-${performance.now()}`,
      title: 'cat',
      status: 'completed' as const,
      content: [{ type: 'content' as const, content: { type: 'text' as const, text } }],
    };
    await client.notify(methods.client.session.update, { sessionId, update });
    return undefined;
  },
  /** `[[update json]]`: any update, valid or not. */
  update: async ({ client, sessionId }, { rest }) => {
    await client.notify('session/update', { sessionId, update: JSON.parse(rest) });
    return undefined;
  },
  /** `[[env NAME]]`: prints an environment variable. */
  env: async (turn, { words: [name = ''] }) => {
    await turn.say(`${name}=${process.env[name] ?? ''}`);
    return undefined;
  },
  /** `[[wait gate]]`: waits until the file exists or the turn is cancelled. */
  wait: async ({ script, signal }, { words: [gate = ''] }) => {
    while (!existsSync(join(script.gates, gate)) && !signal.aborted) await wait(5);
    return undefined;
  },
  /** `[[stderr words]]` */
  stderr: async (_, { rest }) => {
    await new Promise((resolve) => process.stderr.write(`${rest}\n`, resolve));
    return undefined;
  },
  /** `[[long bytes]]`: one line of this size. */
  long: async (turn, { words: [bytes] }) => {
    await turn.say('x'.repeat(Number(bytes)));
    return undefined;
  },
  /** `[[noise words]]`: a line on standard output that is not JSON. */
  noise: async (_, { rest }) => {
    await new Promise((resolve) => process.stdout.write(`${rest}\n`, resolve));
    return undefined;
  },
  /** `[[crash code]]`: exits during the turn. */
  crash: async (_, { words: [code = '3'] }) => process.exit(Number(code)),
  /** `[[fail words]]`: answers with this error. */
  fail: async (_, { rest }) => {
    throw new RequestError(-32_603, rest);
  },
  /** `[[fail-times count words]]`: fails the first turns with this directive. */
  'fail-times': async ({ script, sessionId }, { words: [count, ...words] }) => {
    const before = readJournal(script.journal).filter((entry) => entry.event === 'fail').length;
    if (before >= Number(count)) return undefined;
    record(script.journal, { event: 'fail', sessionId });
    throw new RequestError(-32_603, words.join(' '));
  },
  /** `[[stop refusal]]` */
  stop: async (_, { words: [reason] }) => reason as StopReason,
};

async function askPerson({ client, script, sessionId }: Turn, name: string): Promise<void> {
  const word = wordOf(name);
  const allowances = choicesOf(name).map((optionId) => ({ optionId, kind: 'allow_once' as const }));
  const options = [...allowances, { optionId: refusalOf(name), kind: 'reject_once' as const }];
  record(script.journal, { event: 'ask', sessionId, text: name });
  const { outcome } = await client.request<RequestPermissionResponse>(
    methods.client.session.requestPermission,
    {
      sessionId,
      toolCall: { toolCallId: `call-${name}`, title: `Run ${word}`, kind: 'execute' },
      options: options.map((option) => ({ ...option, name: `Option of ${word}` })),
    },
  );
  const data = outcome.outcome === 'selected' ? outcome.optionId : 'cancelled';
  record(script.journal, { event: 'decision', sessionId, text: name, data });
}

async function reporting(turn: Turn, work: () => Promise<string>): Promise<void> {
  await turn.say(await work().catch((error: Error) => `error: ${error.message}`));
}
