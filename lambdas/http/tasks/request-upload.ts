// POST /api/projects/{projectId}/tasks/request-upload
import * as z from 'zod/mini';
import { attachmentKey, uploadSeconds } from '../../domain/tasks/attachment.js';
import { capabilityRoute } from '../../edge/capability-route.js';
import { s3 } from '../../shared/clients/s3.js';
import { readEnv } from '../../shared/env.js';
import { presignUrl } from '../../shared/presign-url.js';
import { requestUpload } from './contract.js';

const env = readEnv({ UPLOADS_BUCKET: z.string(), AWS_ENDPOINT_URL: z.optional(z.url()) });

/** Nothing is written down: what was not uploaded is noticed when the task wants it. */
export const handler = capabilityRoute(requestUpload, async ({ params, body, user, now, newId }) => {
  const uploadId = newId();
  const key = attachmentKey({ projectId: params.projectId, userId: user.userId }, uploadId);
  const region = await s3.config.region();
  const headers = { 'content-type': body.contentType, 'content-length': String(body.size) };
  const uploadUrl = presignUrl({
    method: 'PUT',
    url: objectUrl(region, key),
    headers,
    region,
    credentials: await s3.config.credentials(),
    expiresInSeconds: uploadSeconds,
    now,
  });
  const expiresAt = new Date(now.getTime() + uploadSeconds * 1_000).toISOString();
  return { status: 201, body: { uploadId, method: 'PUT', uploadUrl, headers, expiresAt } };
});

/** Where there is an emulator, buckets are paths of it. */
function objectUrl(region: string, key: string): URL {
  const { UPLOADS_BUCKET: bucket, AWS_ENDPOINT_URL: endpoint } = env;
  if (endpoint) return new URL(`/${bucket}/${key}`, endpoint);
  return new URL(`https://${bucket}.s3.${region}.amazonaws.com/${key}`);
}
