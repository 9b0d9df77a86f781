import { redactText } from '../shared/redact.js';

/** Why something did not come back, as it may be told. */
export function reasonOf(error: unknown): string {
  return redactText(error instanceof Error ? error.message : String(error)).slice(0, 500);
}
