import { randomBytes } from 'node:crypto';
import {
  type ReadTextFileRequest,
  type ReadTextFileResponse,
  RequestError,
  type WriteTextFileRequest,
} from '@agentclientprotocol/sdk';
import { AgentError } from '../../errors.js';
import { readLinesScript, writeTextScript } from '../../files/file-scripts.js';
import type { Files } from '../../files/files.js';
import { checkExit, outputSlackBytes, type WorkspaceCommands } from '../../files/workspace-commands.js';
import type { Workspace } from '../../workspaces/workspace.js';

/** Limit of one text file. */
const maxTextBytes = 1_024 * 1_024;
const timeoutMs = 30_000;

/** The file-system methods of ACP. Symbolic links cannot lead outside the workspace. */
export class WorkspaceTexts {
  constructor(
    private readonly workspace: Workspace,
    private readonly commands: WorkspaceCommands,
    private readonly files: Pick<Files, 'absolute'>,
  ) {}

  async read({ path, line, limit }: ReadTextFileRequest): Promise<ReadTextFileResponse> {
    return withRequestErrors(path, async () => {
      if (limit === 0) return { content: '' };
      const from = line || (limit ? 1 : '');
      const argv = this.script(readLinesScript, path, String(from), String(limit ?? ''));
      const { output, isTruncated, ...end } = await this.commands.collect(
        this.workspace,
        { argv, timeoutMs },
        maxTextBytes,
      );
      if (isTruncated) throw tooLarge();
      checkExit(end);
      return { content: output.toString() };
    });
  }

  async write({ path, content }: WriteTextFileRequest): Promise<Record<string, never>> {
    return withRequestErrors(path, async () => {
      if (Buffer.byteLength(content) > maxTextBytes) throw tooLarge();
      const argv = this.script(writeTextScript, path, `.svc-upload-${randomBytes(12).toString('hex')}`);
      const program = { argv, timeoutMs, hasInput: true, outputBytes: outputSlackBytes };
      const { stdin, stdout, ended } = await this.commands.open(this.workspace, program);
      stdout.resume();
      stdin.on('error', () => undefined);
      stdin.end(content);
      checkExit(await ended);
      return {};
    });
  }

  private script(script: string, path: string, ...more: string[]): string[] {
    const { root } = this.commands.place(this.workspace);
    return ['/bin/sh', '-c', script, 'sh', root, this.files.absolute(this.workspace, { path }), ...more];
  }
}

function tooLarge(): AgentError {
  return new AgentError('payload_too_large', `File exceeds the limit of ${maxTextBytes} bytes`);
}

/** Converts errors to ACP errors. Hides the message of an unexpected error. */
async function withRequestErrors<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AgentError))
      throw RequestError.internalError(undefined, 'the file is out of reach');
    if (error.code === 'not_found') throw RequestError.resourceNotFound(path);
    throw RequestError.invalidParams({ path, code: error.code }, error.message);
  }
}
