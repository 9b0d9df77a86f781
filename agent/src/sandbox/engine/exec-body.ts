import type { IncomingMessage } from 'node:http';
import * as z from 'zod/mini';

const maxBytes = 1024 ** 2;
/** Everything that a program in a container may be started with; `Privileged` is not among it. */
const ExecBody = z.object({
  AttachStdin: z.optional(z.boolean()),
  AttachStdout: z.optional(z.boolean()),
  AttachStderr: z.optional(z.boolean()),
  Tty: z.optional(z.boolean()),
  ConsoleSize: z.optional(z.nullable(z.array(z.number()))),
  Env: z.optional(z.nullable(z.array(z.string()))),
  Cmd: z.array(z.string()),
  User: z.optional(z.string()),
  WorkingDir: z.optional(z.string()),
});

/** The body of a request for a program in a container, without the rights that it may not have. @throws Error */
export async function readExecBody(request: IncomingMessage): Promise<string> {
  return JSON.stringify(ExecBody.parse(JSON.parse(await readBody(request))));
}

const Created = z.object({ Id: z.string() });

/** The id of the program, from the engine's answer. */
export function execIdOf(answer: string): string {
  return Created.parse(JSON.parse(answer)).Id;
}

export async function readBody(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error(`A message of the engine API has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
