import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { InstallationId } from '../../domain/code-host/code-host.js';
import { contract } from '../../edge/contract.js';
import { nextCursor } from '../../edge/contract-parts.js';

const Installation = z.object({
  id: InstallationId,
  userId: Ulid,
  /** The same as `id`: the code host's own id. */
  installationId: InstallationId,
  accountType: z.enum(['personal', 'organization']),
  accountName: z.string(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});

export const installations = contract({
  summary: 'List the installations of this application that you can access',
  description:
    'As recorded at your last sign-in or installation. To see a new installation, sign in again or return from the installation page of the code host.',
  responses: { 200: z.object({ installations: z.array(Installation), nextCursor }) },
});

const Repository = z.object({
  id: z.string(),
  fullName: z.string(),
  name: z.string(),
  private: z.boolean(),
  defaultBranch: z.string(),
  installationId: InstallationId,
});

export const repositories = contract({
  summary: 'List the repositories that both you and an installation can access',
  description:
    'Lists the repositories of `installationId`, or of all your installations without it. `failedInstallations` names installations that could not be read; the others are still listed. Open `installUrl` to install the application on more repositories.',
  query: z.strictObject({ installation_id: z.optional(InstallationId) }),
  responses: {
    200: z.object({
      repositories: z.array(Repository),
      failedInstallations: z.optional(z.array(z.string())),
      installUrl: z.nullable(z.url()),
      nextCursor,
    }),
  },
  errors: ['NOT_FOUND', 'CODE_HOST_UNAVAILABLE', 'CODE_HOST_ACCESS_LOST'],
});

export const callback = contract({
  summary: 'Record an installation: the code host redirects the browser here',
  readsSession: true,
  description:
    'Records the installation if you can access it on the code host, and redirects to `/settings?github_app=installed`, or to `/settings?github_app=error&reason=<reason>`. A caller who is signed out is redirected to `/` with `installation_id`.',
  // What a code host adds to its redirect is its own.
  query: z.looseObject({ installation_id: z.optional(InstallationId), setup_action: z.optional(z.string()) }),
  responses: { 302: null },
});

/** The code host sends at most 25 MB; what Berth reads of an event is far shorter. */
const maxWebhookBytes = 1024 * 1024;

export const webhook = contract({
  summary: 'Receive a webhook of the code host',
  description:
    'For the code host only. `X-Hub-Signature-256` must sign the bytes of the body with a secret of the deployment. Each attached project of the repository gets one event; a repeat of the same body adds none, whatever its headers. `outcome` is `ignored` for events that no project is interested in, and `pong` for `ping`.',
  headers: {
    'X-Hub-Signature-256': '`sha256=` and the HMAC SHA-256 of the body, in hexadecimal digits',
    'X-GitHub-Event': 'The name of the event',
    'X-GitHub-Delivery': 'The id of the delivery',
  },
  body: z.looseObject({}),
  maxBodyBytes: maxWebhookBytes,
  responses: {
    202: z.object({
      outcome: z.enum(['recorded', 'ignored', 'pong']),
      /** In how many projects the event is recorded. */
      events: z.int(),
    }),
  },
  errors: ['INVALID_SIGNATURE', 'WEBHOOK_SECRET_UNUSABLE'],
});
