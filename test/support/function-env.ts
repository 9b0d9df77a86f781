import { sagaArns } from './sagas.js';

/**
 * What functions of any route find in their environment, for tests that never reach what it names.
 */
export const functionEnv = {
  ARTIFACTS_BUCKET: 'artifacts',
  UPLOADS_BUCKET: 'uploads',
  CODE_HOST_SECRET_ARN: 'arn:aws:secretsmanager:us-east-1:000000000000:secret:none',
  CODE_HOST_WEBHOOK_SECRET_ARN: 'arn:aws:secretsmanager:us-east-1:000000000000:secret:none',
  PUSH_SECRET_ARN: 'arn:aws:secretsmanager:us-east-1:000000000000:secret:none',
  PUSH_QUEUE_URL: 'http://127.0.0.1:9/pushes',
  CODE_HOST_URL: 'http://127.0.0.1:9',
  CODE_HOST_API_URL: 'http://127.0.0.1:9',
  CODE_HOST_APP_SLUG: 'berth',
  PROVIDER_URLS: '{}',
  WAKE_UP_QUEUE_URL: 'http://127.0.0.1:9/prompts.fifo',
  DELAYED_WAKE_UP_QUEUE_URL: 'http://127.0.0.1:9/later-prompts',
  LIVE_ENDPOINT: 'http://127.0.0.1:9/live',
  WORKSPACE_URL_TEMPLATE: 'http://ws-{workspaceId}.localhost:8787',
  ...sagaArns,
};
