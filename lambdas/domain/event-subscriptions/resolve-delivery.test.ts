import { expect, it } from 'vitest';
import { resolveDelivery } from './resolve-delivery.js';

const own = { isOwnTarget: true, hasTask: true, isWakeEnabled: true };

it.each([
  ['record_only', { ...own, isOwnTarget: false }, 'record_only'],
  ['existing_session_prompt', own, 'queued_for_prompt_delivery'],
  ['runtime_interrupt', own, 'queued_for_prompt_delivery'],
  ['existing_session_prompt', { ...own, isWakeEnabled: false }, 'recorded_not_injected'],
  ['existing_session_prompt', { ...own, hasTask: false }, 'recorded_not_injected'],
  ['runtime_interrupt', { ...own, isOwnTarget: false }, 'unauthorized'],
  ['runtime_steer', { ...own, isOwnTarget: false }, 'unauthorized'],
  ['runtime_steer', own, 'unsupported'],
  ['spawn_task', own, 'unsupported'],
] as const)('%s with %j is resolved as %s', (requested, request, resolved) => {
  expect(resolveDelivery({ requested, ...request })).toBe(resolved);
});
