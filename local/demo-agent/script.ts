import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentContext, methods } from '@agentclientprotocol/sdk';

export interface DemoTurn {
  readonly client: AgentContext;
  readonly sessionId: string;
  /** The repository in the workspace. */
  readonly folder: string;
  readonly message: string;
  /** Aborted by `session/cancel`. */
  readonly signal: AbortSignal;
}

const file = 'DEMO.md';
const steps = ['Look at the repository', `Write ${file}`, 'Look at what changed'] as const;

/**
 * Plays a task: a plan, a look at the files, a question before a change, a file that is
 * really written, and a command that really runs.
 */
export async function runDemo(turn: DemoTurn): Promise<void> {
  await say(
    turn,
    'I am the **demo agent** of this laptop. I use no model and no key: I follow a script, whatever you write. A real agent works in the same way.\n\n',
  );
  await plan(turn, 0);
  await look(turn);
  await plan(turn, 1);
  if (turn.signal.aborted) return;
  if (!(await mayWrite(turn))) return say(turn, `You did not allow it, so I changed nothing.`);
  await write(turn);
  await plan(turn, 2);
  await showStatus(turn);
  await plan(turn, 3);
  await say(
    turn,
    `I wrote your message to \`${file}\`. *Changes* shows it: comment on a line, and your comments become my next message. The branch of a task is pushed when my turn ends.\n`,
  );
}

const update = ({ client, sessionId }: DemoTurn, change: object) =>
  client.notify('session/update', { sessionId, update: change });

const say = (turn: DemoTurn, text: string) =>
  update(turn, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });

const plan = (turn: DemoTurn, done: number) =>
  update(turn, {
    sessionUpdate: 'plan',
    entries: steps.map((content, index) => ({
      ...{ content, priority: 'medium' },
      status: index < done ? 'completed' : index === done ? 'in_progress' : 'pending',
    })),
  });

/** A tool call that has ended, with what it gave. */
const tool = (turn: DemoTurn, kind: string, { title, content }: { title: string; content: object }) =>
  update(turn, {
    ...{ sessionUpdate: 'tool_call', toolCallId: crypto.randomUUID(), status: 'completed' },
    ...{ kind, title, content: [content] },
  });

const text = (said: string) => ({ type: 'content', content: { type: 'text', text: said } });

async function look(turn: DemoTurn): Promise<void> {
  const names = readdirSync(turn.folder).filter((name) => name !== '.git');
  await tool(turn, 'read', { title: 'List the files', content: text(names.join('\n')) });
  await say(turn, `The repository has ${names.length} files and folders at its top.\n\n`);
}

async function mayWrite({ client, sessionId }: DemoTurn): Promise<boolean> {
  const { outcome } = await client.request(methods.client.session.requestPermission, {
    sessionId,
    toolCall: { toolCallId: crypto.randomUUID(), title: `Write ${file}`, kind: 'edit' },
    options: [
      { optionId: 'once', name: 'Allow', kind: 'allow_once' },
      { optionId: 'no', name: 'Do not allow', kind: 'reject_once' },
    ],
  });
  return outcome.outcome === 'selected' && outcome.optionId === 'once';
}

async function write(turn: DemoTurn): Promise<void> {
  const path = join(turn.folder, file);
  const oldText = existsSync(path) ? readFileSync(path, 'utf8') : null;
  const quoted = turn.message.trim().replace(/^/gm, '> ');
  const newText = `${oldText ?? '# What the demo agent was asked\n'}\n${quoted}\n`;
  writeFileSync(path, newText);
  await tool(turn, 'edit', { title: `Write ${file}`, content: { type: 'diff', path, oldText, newText } });
}

async function showStatus(turn: DemoTurn): Promise<void> {
  const { stdout, stderr } = spawnSync('git', ['status', '--short'], { cwd: turn.folder, encoding: 'utf8' });
  await tool(turn, 'execute', {
    title: 'git status --short',
    content: text(`${stdout ?? ''}${stderr ?? ''}`),
  });
}
