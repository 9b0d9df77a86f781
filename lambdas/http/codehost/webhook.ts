// POST /api/codehost/webhook
// Authorised by its own proof: the code host's signature over the bytes of the body.

import { receiveWebhook } from '../../domain/code-host/webhook/receive-webhook.js';
import type { HttpRequest } from '../../edge/http-request.js';
import { webhookRoute } from '../../edge/webhook-route.js';
import { InvalidRequest } from '../../shared/errors.js';
import { webhook } from './contract.js';

export const handler = webhookRoute(
  webhook,
  async ({ request, body: payload, bodyHash, table, now, log }) => {
    const name = headerOf(request, 'x-github-event', /^[a-z_]{1,60}$/);
    const deliveryId = headerOf(request, 'x-github-delivery', /^[\w-]{1,64}$/);
    const received = await receiveWebhook(table, { name, bodyHash, payload }, now);
    log.info('Webhook received', { event: name, deliveryId, ...received });
    return { status: 202, body: received };
  },
);

/** @throws {InvalidRequest} */
function headerOf({ header }: HttpRequest, name: string, form: RegExp): string {
  const value = header(name) ?? '';
  if (form.test(value)) return value;
  throw new InvalidRequest('The request is invalid', [
    { field: `headers.${name}`, message: 'Missing, or not as the code host sends it' },
  ]);
}
