import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { isPlainPath } from '../../api/parameters.js';
import { AgentError } from '../errors.js';
import type { Workspace } from '../workspaces/workspace.js';
import { acceptScript, discardScript, receiveScript } from './file-scripts.js';
import type { FileLimits, FilePath, Files } from './files.js';
import { checkExit, outputSlackBytes, type WorkspaceCommands } from './workspace-commands.js';

export type UploadLimits = FileLimits['upload'];

export interface UploadedFile {
  readonly name: string;
  readonly path: string;
  readonly size: number;
}

interface UploadTarget {
  /** Repository or worktree to which the destination is relative; undefined: the repository. */
  readonly folder: string | undefined;
  /** Filled with the files that have begun. */
  readonly received: Received[];
}

interface Received extends UploadedFile {
  readonly folder: FilePath;
  readonly temporary: string;
}

/**
 * Receives the files of one multipart request. All are written under temporary names; when the
 * request is complete, each is renamed. A failed request leaves nothing behind.
 */
export class Uploads {
  constructor(
    private readonly commands: WorkspaceCommands,
    private readonly files: Files,
    private readonly limits: UploadLimits,
  ) {}

  async receive(workspace: Workspace, request: IncomingMessage, folder?: string): Promise<UploadedFile[]> {
    const received: Received[] = [];
    try {
      await this.takeAll(workspace, request, { folder, received });
      if (received.length === 0) throw invalid('files: the request contains no file');
      for (const file of received) await this.run(workspace, acceptScript, file);
      return received.map(({ name, path, size }) => ({ name, path, size }));
    } catch (error) {
      await Promise.allSettled(received.map((file) => this.run(workspace, discardScript, file)));
      throw error;
    }
  }

  private async takeAll(workspace: Workspace, request: IncomingMessage, target: UploadTarget): Promise<void> {
    const form = openForm(request, this.limits);
    const parts = this.receiveParts(workspace, form, target);
    const signal = AbortSignal.timeout(this.limits.timeMs);
    await pipeline(request, countBytes(this.limits.requestBytes), form, { signal }).catch((error: unknown) =>
      parts.abort(uploadError(error, signal)),
    );
    await parts.settled();
  }

  /**
   * Receives the parts of a form as they arrive; files are written one after the other. `abort`
   * also ends the file streams, because a form that broke off never does.
   */
  private receiveParts(workspace: Workspace, form: BusboyInstance, { folder, received }: UploadTarget) {
    let destination = '../.private';
    const streams: Readable[] = [];
    let work = Promise.resolve();
    let failure: unknown = null;
    const fail = (error: unknown) => {
      failure ??= error;
      form.destroy();
    };
    form.on('field', (name, value) => {
      const isAllowed = name === 'destination' && streams.length === 0 && isPlainPath(value);
      if (!isAllowed) fail(invalid('destination: must be one plain path, before the files'));
      destination = value;
    });
    form.on('file', (_, stream, filename) => {
      streams.push(stream);
      // The pipeline reports the error; without a listener it would end the process.
      stream.on('error', () => undefined);
      const take = async () => {
        if (failure) return;
        const file = newFile(filename, { path: destination, folder });
        received.push(file);
        const size = await this.take(workspace, file, stream);
        received.splice(received.indexOf(file), 1, { ...file, size });
      };
      work = work.then(take).catch((error: unknown) => {
        stream.resume();
        fail(error);
      });
    });
    for (const limit of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const)
      form.on(limit, () => fail(tooManyParts()));
    const abort = (error: unknown) => {
      failure ??= error;
      for (const stream of streams) stream.destroy(new Error('The form is incomplete'));
    };
    const throwFailure = () => {
      if (failure) throw failure;
    };
    return { abort, settled: () => work.then(throwFailure) };
  }

  private async take(workspace: Workspace, file: Received, stream: Readable): Promise<number> {
    const script = this.script(workspace, receiveScript, file);
    const { timeMs: timeoutMs } = this.limits;
    const program = { ...script, timeoutMs, hasInput: true, outputBytes: outputSlackBytes };
    const { stdin, stdout, ended } = await this.commands.open(workspace, program);
    stdout.resume();
    let size = 0;
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
    });
    // When the program ends early, its exit code is more specific than the broken pipe.
    const sent = pipeline(stream, stdin).catch((error: unknown) => error ?? null);
    const end = await ended;
    checkExit(end);
    const problem = await sent;
    if (problem) throw problem;
    if ('truncated' in stream && stream.truncated)
      throw new AgentError('payload_too_large', `A file exceeds the limit of ${this.limits.fileBytes} bytes`);
    return size;
  }

  private async run(workspace: Workspace, script: string, file: Received): Promise<void> {
    const program = { ...this.script(workspace, script, file), timeoutMs: 10_000 };
    const { stdout, ended } = await this.commands.open(workspace, {
      ...program,
      outputBytes: outputSlackBytes,
    });
    stdout.resume();
    checkExit(await ended);
  }

  private script(workspace: Workspace, script: string, { folder, temporary, name }: Received) {
    return this.files.script(workspace, script, folder, temporary, name);
  }
}

function tooManyParts(): AgentError {
  return new AgentError('payload_too_large', 'The request has too many parts. Send fewer files');
}

function openForm(request: IncomingMessage, limits: UploadLimits): BusboyInstance {
  const type = request.headers['content-type'] ?? '';
  try {
    return new Busboy({
      headers: { ...request.headers, 'content-type': type },
      limits: { fileSize: limits.fileBytes, files: limits.files, fields: 2, fieldSize: 4_096 },
    });
  } catch (cause) {
    throw new AgentError('unsupported_media_type', 'Send files as multipart/form-data', { cause });
  }
}

function newFile(filename: string, folder: FilePath): Received {
  const name = filename.split(/[/\\]/).at(-1) ?? '';
  // Control characters are not allowed in names.
  if (!name || /^\.{1,2}$|\p{Cc}/u.test(name) || Buffer.byteLength(name) > 255)
    throw invalid('files: a file has an invalid name');
  const temporary = `.svc-upload-${randomBytes(12).toString('hex')}`;
  return { name, path: `${folder.path}/${name}`, size: 0, folder, temporary };
}

function countBytes(limit: number): Transform {
  let left = limit;
  return new Transform({
    transform(chunk: Buffer, _, done) {
      left -= chunk.length;
      if (left < 0)
        done(new AgentError('payload_too_large', `The request exceeds the limit of ${limit} bytes`));
      else done(null, chunk);
    },
  });
}

function uploadError(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof AgentError) return error;
  if (signal.aborted) return new AgentError('timed_out', 'The upload timed out');
  return new AgentError('invalid_request', 'The form is incomplete', { cause: error });
}

function invalid(message: string): AgentError {
  return new AgentError('invalid_request', message);
}
