import { GitFailed } from '../git/clone.js';
import type { ResourceDiagnostics } from '../node/resource-diagnostics.js';
import { redactText } from '../shared/redact.js';
import type { ProvisionOutcome } from './runtime.js';

const maxLength = 2_048;

/** The end of a provisioning that was not stopped. */
export type ProvisionResult =
  | {
      readonly outcome: ProvisionOutcome;
      readonly failure: null;
      /** Why the default image is used; null: unknown, or it is not used. */
      readonly fallback: string | null;
    }
  | { readonly outcome: 'errored'; readonly failure: string; readonly resources?: ResourceDiagnostics };

export const levels = { running: 'info', recovering: 'warn', errored: 'error' } as const;

export function erroredWith(failure: string, resources: ResourceDiagnostics): ProvisionResult {
  return { outcome: 'errored', failure: failure.slice(0, maxLength), resources };
}

export function erroredBy(error: unknown): ProvisionResult {
  const message = error instanceof Error ? error.message : String(error);
  const text = error instanceof GitFailed ? `Clone failed: ${message}` : message;
  return { outcome: 'errored', failure: cleaned(text) || 'Workspace provisioning failed' };
}

/** The result in words, for the event. */
export function messageOf(result: ProvisionResult): string {
  if (result.failure !== null) return result.failure;
  if (result.outcome === 'running') return 'Workspace is running';
  const text = 'Workspace is running from the default image: its dev container could not be built';
  return result.fallback === null ? text : cleaned(`${text}. ${result.fallback}`);
}

/** The error message of the workspace; null for a workspace that runs as requested. */
export function errorMessageOf(result: ProvisionResult): string | null {
  return result.outcome === 'running' ? null : messageOf(result);
}

function cleaned(text: string): string {
  return redactText(text).slice(0, maxLength);
}
