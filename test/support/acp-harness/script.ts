import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';

const moments = ['start', 'initialize', 'new', 'load', 'prompt', 'after_prompt'] as const;
export type Moment = (typeof moments)[number];

/**
 * What the ACP process for tests is to be. The file is read anew for each thing that the process does, so a test may
 * change its mind while it runs.
 */
export const HarnessScript = z.strictObject({
  /** Every invocation is one line here, on disk before anything is done about it. */
  journal: z.string(),
  /** Folder of the sessions, which outlive the process. */
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
  /** Says again, while it loads a session, what was said in it. */
  repeatsHistory: z._default(z.boolean(), true),
  /** Answers `session/load` with success, whatever was asked for. */
  liesOnLoad: z._default(z.boolean(), false),
  ignoresCancel: z._default(z.boolean(), false),
  /** Lives on after the end of its input and after SIGTERM. */
  ignoresEnd: z._default(z.boolean(), false),
  /** Starts a process that does not end with it. */
  leavesChild: z._default(z.boolean(), false),
  /** The process ends there at once, with code 3. */
  crashAt: z._default(z.nullable(z.enum(moments)), null),
  /** It never answers there. */
  hangAt: z._default(z.nullable(z.enum(moments)), null),
  stderr: z._default(z.string(), ''),
  /** Directives of prompts that hold none. */
  defaultTurn: z._default(z.string(), ''),
  modes: z._default(z.array(z.string()), []),
  models: z._default(z.array(z.string()), []),
  /** Told of as soon as a session is open. */
  commands: z._default(z.array(z.string()), []),
});
export type HarnessScript = z.infer<typeof HarnessScript>;

export function readScript(path: string): HarnessScript {
  return HarnessScript.parse(JSON.parse(readFileSync(path, 'utf8')));
}
