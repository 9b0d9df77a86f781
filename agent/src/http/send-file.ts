import type { FileHandle } from 'node:fs/promises';
import { posix } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fileContentPolicy } from '../../../protocol/workspace-files.js';
import { AgentError } from '../errors.js';
import { parseRange } from '../files/byte-range.js';
import type { FilePath, FileStat, Files, PartToRead } from '../files/files.js';
import type { PlainFiles } from '../files/plain-files.js';
import { mediaType } from '../shared/media-type.js';
import type { Workspace } from '../workspaces/workspace.js';
import { streamFile } from './stream-file.js';

/**
 * A file may change again within the resolution of its modification time, so a recent one has no
 * ETag.
 */
const settledMs = 2_000;

export interface FileToSend {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly files: Files;
  readonly plainFiles: PlainFiles;
  readonly workspace: Workspace;
  readonly path: FilePath;
}

/** A file for browsers: with media type, ETag and ranges, and sandboxed by its content policy. */
export async function sendRaw(sent: FileToSend): Promise<FastifyReply> {
  const { request, reply, files, path } = sent;
  await using found = await find(sent);
  const { facts } = found;
  const { rawBytes, rawMs } = files.limits;
  checkFile(facts, rawBytes);
  const etag = tagOf(facts);
  reply.headers({
    'cache-control': 'private, no-cache',
    'accept-ranges': 'bytes',
    'last-modified': facts.modifiedAt.toUTCString(),
    ...(etag ? { etag } : {}),
  });
  if (etag && matches(request.headers['if-none-match'], etag)) return reply.status(304).send();
  const range = rangeOf(request, facts, etag);
  if (range === 'none') {
    reply.header('content-range', `bytes */${facts.size}`);
    throw new AgentError('range_not_satisfiable', 'The requested range is outside of the file');
  }
  if (range) {
    const end = range.start + range.length - 1;
    reply.status(206).header('content-range', `bytes ${range.start}-${end}/${facts.size}`);
  }
  reply.headers(safeHeaders).type(mediaType(path.path));
  // Awaited because the file is closed at the end of this function.
  return await sendBytes(sent, found, { ...(range ?? { start: 0, length: facts.size }), timeoutMs: rawMs });
}

/** A file, or a folder as `.tar.gz` that is created while it is sent. */
export async function sendDownload(sent: FileToSend): Promise<FastifyReply> {
  const { request, reply, files, workspace, path } = sent;
  await using found = await find(sent);
  const { facts } = found;
  const name = posix.basename(files.absolute(workspace, path));
  reply.headers(safeHeaders).header('cache-control', 'private, no-cache');
  if (facts.kind !== 'dir') {
    const { downloadBytes, downloadMs } = files.limits;
    checkFile(facts, downloadBytes);
    reply.header('content-disposition', attachment(name)).type('application/octet-stream');
    return await sendBytes(sent, found, { start: 0, length: facts.size, timeoutMs: downloadMs });
  }
  reply.header('content-disposition', attachment(`${name}.tar.gz`)).type('application/gzip');
  if (request.method === 'HEAD') return reply.send(Readable.from([]));
  const archive = await files.archive(workspace, path);
  // An error breaks the connection: the headers are already sent.
  return reply.send(pipeline(archive, createGzip({ level: 1 }), () => undefined));
}

const safeHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': fileContentPolicy,
} as const;

/** The file at the path. `handle` is set when the agent could open it without the workspace. */
interface Found extends AsyncDisposable {
  readonly facts: FileStat;
  readonly handle: FileHandle | null;
}

async function find({ files, plainFiles, workspace, path }: FileToSend): Promise<Found> {
  const plain = await plainFiles.open(workspace, files.absolute(workspace, path));
  if (plain) return plain;
  const facts = await files.facts(workspace, path);
  return { facts, handle: null, [Symbol.asyncDispose]: async () => undefined };
}

async function sendBytes(sent: FileToSend, { handle }: Found, part: PartToRead): Promise<FastifyReply> {
  const { request, reply, files, workspace, path } = sent;
  reply.header('content-length', part.length);
  if (request.method === 'HEAD' || part.length === 0) return reply.send(Readable.from([]));
  if (!handle) return reply.send(await files.read(workspace, path, part));
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) reply.raw.setHeader(name, value);
  reply.raw.writeHead(reply.statusCode);
  await streamFile(handle, part, reply.raw);
  return reply;
}

function checkFile({ kind, size }: FileStat, maxBytes: number): void {
  if (kind !== 'file') throw new AgentError('invalid_request', 'path: must be a regular file');
  if (size > maxBytes)
    throw new AgentError('payload_too_large', `The file exceeds the limit of ${maxBytes} bytes`);
}

function tagOf({ modifiedAt, size, inode }: FileStat): string | null {
  if (Date.now() - modifiedAt.getTime() < settledMs) return null;
  return `"${Math.floor(modifiedAt.getTime() / 1_000).toString(16)}-${size.toString(16)}-${inode}"`;
}

function matches(header: string | undefined, etag: string): boolean {
  const tags = (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}

/** If-Range: the range applies only to the version that the client has a part of. */
function rangeOf(request: FastifyRequest, { size }: FileStat, etag: string | null) {
  const condition = request.headers['if-range'];
  if (condition !== undefined && condition !== etag) return null;
  return parseRange(request.headers.range, size);
}

/** RFC 6266: an ASCII name for old clients, and the exact name. */
function attachment(name: string): string {
  const plain = name.replace(/[^\w. -]/g, '_');
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
