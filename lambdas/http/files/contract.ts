import * as z from 'zod/mini';
import { FolderListing, FoundFiles, UploadedFiles } from '../../../protocol/workspace-files.js';
import { contract } from '../../edge/contract.js';
import { MultipartForm } from '../../edge/multipart-form.js';
import { FilePath } from './file-path.js';
import { maxCarriedBytes } from './max-carried-bytes.js';
import { fileErrors, sessionParams } from './session-files.js';

const file = z.strictObject({ path: FilePath });
const bytes = 'application/octet-stream';

const carried = `Up to ${maxCarriedBytes / 1024 ** 2} MiB are carried by this address; more is answered by a redirect to the node, good for a minute.`;
const conditional = {
  'if-none-match': 'ETag of the file that you have: 304 while it is the same',
  range: 'One range of bytes',
  'if-range': 'ETag of the file that you have a part of',
};

export const list = contract({
  summary: 'Entries of a folder, folders first',
  description:
    'Of the repository itself without `path`. At most 1,000; `truncated` says that there are more.',
  params: sessionParams,
  query: z.strictObject({ path: z.optional(FilePath) }),
  responses: { 200: FolderListing },
  errors: [...fileErrors, 'PAYLOAD_TOO_LARGE'],
});

export const find = contract({
  summary: 'Names of all files',
  description:
    'At most 5,000, without `.git`, `node_modules` and the like; `truncated` says that there are more.',
  params: sessionParams,
  responses: { 200: FoundFiles },
  errors: [...fileErrors, 'PAYLOAD_TOO_LARGE'],
});

export const view = contract({
  summary: 'A text file as it is now',
  description: 'At most 1 MiB of UTF-8. Everything else: `files/raw`.',
  params: sessionParams,
  query: file,
  responses: { 200: z.object({ filePath: z.string(), content: z.string() }) },
  errors: [...fileErrors, 'NOT_A_TEXT_FILE', 'PAYLOAD_TOO_LARGE'],
});

export const raw = contract({
  summary: 'A file as browsers show it',
  description: `With its media type by name, ETag and byte ranges; at most 50 MiB. ${carried}`,
  params: sessionParams,
  query: file,
  headers: conditional,
  responses: { 200: bytes, 206: bytes, 304: null, 307: null, 416: null },
  errors: [...fileErrors, 'PAYLOAD_TOO_LARGE'],
});

export const download = contract({
  summary: 'A file to keep, or a folder as .tar.gz',
  description: `A file of at most 50 MiB. ${carried} Folders are always redirected.`,
  params: sessionParams,
  query: file,
  responses: { 200: bytes, 307: null },
  errors: [...fileErrors, 'PAYLOAD_TOO_LARGE'],
});

export const upload = contract({
  summary: 'Put files into a folder, all of them or none',
  description: `The field \`destination\` comes first (default \`../.private\`, beside the repository), then the files. At most ${maxCarriedBytes / 1024 ** 2} MiB in all: more goes to the address that \`files/upload-address\` answers.`,
  params: sessionParams,
  body: MultipartForm,
  bodyTypes: ['multipart/form-data'],
  bodySchema: {
    type: 'object',
    required: ['files'],
    properties: {
      destination: { type: 'string', description: 'A folder, from the repository on' },
      files: { type: 'array', items: { type: 'string', format: 'binary' } },
    },
  },
  maxBodyBytes: maxCarriedBytes,
  responses: { 200: UploadedFiles },
  errors: fileErrors,
});

export const uploadAddress = contract({
  summary: 'Where to send larger files',
  description:
    'Send the same form there by POST before `expiresAt` (epoch milliseconds): at most 50 MiB a file and 250 MiB in all, within 120 s.',
  params: sessionParams,
  responses: { 200: z.object({ url: z.string(), expiresAt: z.int() }) },
  answers: {
    200: {
      url: 'https://ws-01jd3zk5w8q2v7n4b6m9x0trgh.berth.example:8443/workspaces/01JD3ZK5W8Q2V7N4B6M9X0TRGH/files/upload?token=example',
      expiresAt: 1_795_255_200_000,
    },
  },
  errors: fileErrors,
});
