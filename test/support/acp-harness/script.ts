import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';

const moments = ['start', 'initialize', 'new', 'load', 'prompt', 'after_prompt'] as const;
export type Moment = (typeof moments)[number];

/** Behaviour of the test ACP process. Read again for each request, so a test can change it. */
export const HarnessScript = z.strictObject({
  /** Journal: one line an invocation, synced before it is handled. */
  journal: z.string(),
  /** Folder of the sessions. They outlive the process. With `~`, below the home of the process. */
  sessions: z.string(),
  /** Folder of files that turns wait for. */
  gates: z.string(),
  supports: z._default(z.array(z.enum(['load', 'list', 'close', 'http_mcp', 'cancel'])), [
    'load',
    'list',
    'close',
    'http_mcp',
    'cancel',
  ]),
  /** Replays the conversation while it loads a session. */
  repeatsHistory: z._default(z.boolean(), true),
  /** Answers `session/load` with success for any id. */
  liesOnLoad: z._default(z.boolean(), false),
  ignoresCancel: z._default(z.boolean(), false),
  /** Ignores the end of its input and SIGTERM. */
  ignoresEnd: z._default(z.boolean(), false),
  /** Starts a child process that outlives it. */
  leavesChild: z._default(z.boolean(), false),
  /** Exits at this point with code 3. */
  crashAt: z._default(z.nullable(z.enum(moments)), null),
  /** Never answers at this point. */
  hangAt: z._default(z.nullable(z.enum(moments)), null),
  stderr: z._default(z.string(), ''),
  /** Directives for prompts without any. */
  defaultTurn: z._default(z.string(), ''),
  modes: z._default(z.array(z.string()), []),
  models: z._default(z.array(z.string()), []),
  /** Sent as soon as a session is open. */
  commands: z._default(z.array(z.string()), []),
});
export type HarnessScript = z.infer<typeof HarnessScript>;

export function readScript(path: string): HarnessScript {
  const script = HarnessScript.parse(JSON.parse(readFileSync(path, 'utf8')));
  return { ...script, sessions: script.sessions.replace(/^~(?=\/)/, process.env.HOME ?? '') };
}
