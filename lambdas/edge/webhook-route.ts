import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { invalidSignature, webhookSecretUnusable } from '../domain/code-host/errors.js';
import { isSigned, WebhookSecrets } from '../domain/code-host/webhook/signature.js';
import { table } from '../shared/clients/documents.js';
import { readSecret } from '../shared/clients/secrets.js';
import { readEnv } from '../shared/env.js';
import { parseJsonSecret } from '../shared/json-secret.js';
import { rootLog } from '../shared/log.js';
import { RotatingSecret } from '../shared/rotating-secret.js';
import type { Table } from '../shared/table.js';
import type { Contract } from './contract.js';
import { limitedByAddress } from './limited-by.js';
import { ownRow } from './own-row.js';
import { bodyBytes } from './parse-request.js';
import { type Handle, type HttpHandler, type ReplyOf, route } from './route.js';

const env = readEnv({ CODE_HOST_WEBHOOK_SECRET_ARN: z.string() });

/** Undefined when the operator has stored none that can be used, which the log says. */
const secrets = new RotatingSecret(async (): Promise<WebhookSecrets | undefined> => {
  const text = await readSecret(env.CODE_HOST_WEBHOOK_SECRET_ARN);
  try {
    return parseJsonSecret(WebhookSecrets, 'The secret of webhooks', text);
  } catch (error) {
    rootLog.error('The secret of webhooks cannot be used', { error });
    return undefined;
  }
});

interface BySignature {
  readonly table: Table;
  /** SHA-256 of the signed bytes. */
  readonly bodyHash: string;
}

/**
 * A route for the code host, whose proof is its signature over the bytes of the body. They are
 * checked before anything in them is parsed or counted. The signature does not cover the headers.
 */
export function webhookRoute<C extends Contract, const Out extends ReplyOf<C>>(
  contract: C,
  handle: Handle<C, BySignature, Out>,
): HttpHandler {
  ownRow('own');
  return route(
    contract,
    {
      identify: async (event, { request }) => {
        const body = bodyBytes(event, contract.maxBodyBytes);
        await requireSignature(body, request.header('x-hub-signature-256'));
        return { table, bodyHash: createHash('sha256').update(body).digest('base64url') };
      },
      limiter: limitedByAddress,
    },
    handle,
  );
}

/** @throws {invalidSignature | webhookSecretUnusable} */
async function requireSignature(body: Uint8Array, signature: string | undefined): Promise<void> {
  // A request without one causes no call of Secrets Manager.
  if (signature === undefined) throw invalidSignature();
  const known = await secrets.get();
  if (known && isSigned(body, signature, known)) return;
  // The operator may have just replaced it.
  const present = await secrets.afterRefusal();
  if (!present) throw webhookSecretUnusable();
  if (!isSigned(body, signature, present)) throw invalidSignature();
}
