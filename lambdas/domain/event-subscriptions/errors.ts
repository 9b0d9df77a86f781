import { Conflict, DomainError, Forbidden, InvalidRequest, NotFound } from '../../shared/errors.js';
import { maxActiveSubscriptions } from './event-subscription.js';

export const subscriptionNotFound = () => new NotFound('Event subscription');

export const subscriptionKeyReused = () =>
  new Conflict('The idempotencyKey was used for another subscription. Use a new key.', {
    code: 'IDEMPOTENCY_KEY_REUSED',
    details: [{ field: 'idempotencyKey', message: 'You have another subscription with this key.' }],
  });

/** A repeat of an earlier creation is none. */
export const endIsPast = () =>
  new InvalidRequest('The subscription would have expired already. Give a later expiresAt.', [
    { field: 'expiresAt', message: 'Must be in the future, in epoch milliseconds' },
  ]);

export const eventCapacity = () =>
  new DomainError(
    'rate_limited',
    `Project has ${maxActiveSubscriptions} active event subscriptions (limit ${maxActiveSubscriptions}). Cancel one, or wait until one expires.`,
    { code: 'EVENT_CAPACITY', retryAfter: 60 },
  );

export const subscriptionNotCancellable = () =>
  new Forbidden(
    'Subscription belongs to a service or a policy. Members can cancel subscriptions of people and agents.',
    { code: 'EVENT_SUBSCRIPTION_NOT_CANCELLABLE' },
  );

export const deliveryNotFound = () => new NotFound('Event delivery');

export const deliveryNotAcknowledgeable = (state: string) =>
  new Conflict(`Delivery is ${state}. Acknowledge deliveries that are pending, delivered or only recorded.`, {
    code: 'EVENT_DELIVERY_NOT_ACKNOWLEDGEABLE',
  });
