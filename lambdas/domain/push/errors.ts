import { Conflict, InvalidRequest, Unauthenticated } from '../../shared/errors.js';
import { maxPushSubscriptions } from './push-subscription.js';

export const pushLimitReached = () =>
  new Conflict(
    `You have ${maxPushSubscriptions} push subscriptions (limit ${maxPushSubscriptions}). Delete one that you do not need.`,
    { code: 'PUSH_LIMIT_REACHED' },
  );

export const pushEndpointRefused = () =>
  new InvalidRequest(
    'The endpoint is not an address of a push service.',
    [{ field: 'endpoint', message: 'Must be an https address at a public host name, without a port' }],
    'PUSH_ENDPOINT_REFUSED',
  );

export const pushKeyRefused = () =>
  new InvalidRequest(
    'The key of the subscription is not valid.',
    [{ field: 'keys.p256dh', message: 'Must be an uncompressed point of the curve P-256 in base64url' }],
    'PUSH_KEY_REFUSED',
  );

export const sessionEnded = () => new Unauthenticated();
