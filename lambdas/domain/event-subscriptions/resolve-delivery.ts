export const requestedDeliveries = [
  'record_only',
  'existing_session_prompt',
  'runtime_steer',
  'runtime_interrupt',
  'spawn_task',
] as const;
export type RequestedDelivery = (typeof requestedDeliveries)[number];

export const resolvedDeliveries = [
  'record_only',
  'recorded_not_injected',
  'queued_for_prompt_delivery',
  'runtime_steer',
  'runtime_interrupt',
  'spawn_task',
  'unsupported',
  'unauthorized',
] as const;
export type ResolvedDelivery = (typeof resolvedDeliveries)[number];

/** The delivery that an owner requests, and the circumstances that limit it. */
interface DeliveryRequest {
  readonly requested: RequestedDelivery;
  /** The target is the owner itself. */
  readonly isOwnTarget: boolean;
  /** The owner is the agent of a task. */
  readonly hasTask: boolean;
  /** PROJECT_EVENT_WAKE_ENABLED */
  readonly isWakeEnabled: boolean;
}

/** Whether it wakes the target with a prompt. */
export const isWake = (requested: RequestedDelivery): boolean =>
  requested === 'existing_session_prompt' || requested === 'runtime_interrupt';

/** Decides once, at the creation of a subscription, how its events are delivered. */
export function resolveDelivery(request: DeliveryRequest): ResolvedDelivery {
  const { requested, isOwnTarget, hasTask, isWakeEnabled } = request;
  if (requested === 'record_only') return 'record_only';
  if (!isOwnTarget) return 'unauthorized';
  if (!isWake(requested)) return 'unsupported';
  return isWakeEnabled && hasTask ? 'queued_for_prompt_delivery' : 'recorded_not_injected';
}
