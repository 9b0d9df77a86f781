import * as z from 'zod/mini';
import { FolderListing, FoundFiles, UploadedFiles } from '../../../protocol/workspace-files.js';
import { contract } from '../../edge/contract.js';
import { MultipartForm } from '../../edge/contract-parts.js';
import { FilePath, fileErrors, maxProxiedBytes, sessionParams } from './file-parameters.js';

const file = z.strictObject({ path: FilePath });
const bytes = 'application/octet-stream';

const redirect = `A response of more than ${maxProxiedBytes / 1024 ** 2} MiB is a 307 redirect to the node; its address is valid for a minute.`;
const conditional = {
  'if-none-match': 'ETag of your copy: 304 while the file is unchanged',
  range: 'One byte range',
  'if-range': 'ETag of your partial copy: the range counts only while the file is unchanged',
};

export const list = contract({
  summary: 'List a folder of the workspace',
  description:
    'Folders first. Without `path`, lists the root of the repository. Returns at most 1,000 entries; `truncated` is true when the folder has more.',
  params: sessionParams,
  query: z.strictObject({ path: z.optional(FilePath) }),
  responses: { 200: FolderListing },
  errors: [...fileErrors, 'PAYLOAD_TOO_LARGE'],
});

export const find = contract({
  summary: 'List the names of all files of the workspace',
  description:
    'Leaves out `.git`, `node_modules` and similar folders. Returns at most 5,000 names; `truncated` is true when there are more.',
  params: sessionParams,
  responses: { 200: FoundFiles },
  errors: [...fileErrors, 'PAYLOAD_TOO_LARGE'],
});

export const view = contract({
  summary: 'Read a text file',
  description: 'The file must be UTF-8 text of at most 1 MiB. Use `files/raw` for other files.',
  params: sessionParams,
  query: file,
  responses: { 200: z.object({ filePath: z.string(), content: z.string() }) },
  errors: [...fileErrors, 'NOT_A_TEXT_FILE', 'PAYLOAD_TOO_LARGE'],
});

export const raw = contract({
  summary: 'Get a file for display in a browser',
  description: `Returns the bytes of a file of at most 50 MiB, with a media type by its name, an ETag and byte ranges. ${redirect}`,
  params: sessionParams,
  query: file,
  headers: conditional,
  responses: { 200: bytes, 206: bytes, 304: null, 307: null, 416: null },
  errors: [...fileErrors, 'PAYLOAD_TOO_LARGE'],
});

export const download = contract({
  summary: 'Download a file, or a folder as .tar.gz',
  description: `A file may have at most 50 MiB. ${redirect} A folder is always a redirect.`,
  params: sessionParams,
  query: file,
  responses: { 200: bytes, 307: null },
  errors: [...fileErrors, 'PAYLOAD_TOO_LARGE'],
});

export const upload = contract({
  summary: 'Upload files into a folder',
  description: `Send a form with the field \`destination\` first (default \`../.private\`, beside the repository), then the files. All files are stored, or none. At most ${maxProxiedBytes / 1024 ** 2} MiB in all: send larger uploads to the address of \`files/upload-address\`.`,
  params: sessionParams,
  body: MultipartForm,
  bodyTypes: ['multipart/form-data'],
  bodySchema: {
    type: 'object',
    required: ['files'],
    properties: {
      destination: {
        type: 'string',
        description: 'Path of a folder, relative to the root of the repository',
      },
      files: { type: 'array', items: { type: 'string', format: 'binary' } },
    },
  },
  maxBodyBytes: maxProxiedBytes,
  responses: { 200: UploadedFiles },
  errors: fileErrors,
});

export const uploadAddress = contract({
  summary: 'Get an address for larger uploads',
  description:
    'Send the form of `files/upload` by POST to `url` before `expiresAt` (epoch milliseconds). Limits: 50 MiB a file, 250 MiB in all, 120 seconds.',
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
