// POST /api/projects/{projectId}/tasks/request-upload
import { countRequest } from '../../domain/rate-limits/count-request.js';
import { rateLimits } from '../../domain/rate-limits/rate-limits.js';
import { attachmentKey, uploadSeconds } from '../../domain/tasks/attachment.js';
import { capabilityRoute } from '../../edge/capability-route.js';
import { uploads } from '../../shared/clients/uploads.js';
import { presignObject } from '../../shared/object-store.js';
import { requestUpload } from './run-contract.js';

/** Writes no record: a missing upload is found when the task copies it. */
export const handler = capabilityRoute(requestUpload, async ({ params, body, user, table, now, newId }) => {
  await countRequest(table, rateLimits.UPLOAD_BYTES, { id: user.userId, now, amount: body.size });
  const uploadId = newId();
  const key = attachmentKey({ projectId: params.projectId, userId: user.userId }, uploadId);
  const headers = { 'content-type': body.contentType, 'content-length': String(body.size) };
  const request = { method: 'PUT', key, headers, expiresInSeconds: uploadSeconds, now } as const;
  const uploadUrl = await presignObject(uploads, request);
  const expiresAt = new Date(now.getTime() + uploadSeconds * 1_000).toISOString();
  return { status: 201, body: { uploadId, method: 'PUT', uploadUrl, headers, expiresAt } };
});
