import { planProgress } from './tool-text.js';
import type { Entry } from './transcript.js';

/** The newest plan of the agent, always in view. */
export function Plan({ entry }: { readonly entry: Entry | undefined }) {
  if (!entry) return null;
  const { done, count, present } = planProgress(entry.content);
  return (
    <details className="pinned-plan small-text">
      <summary>
        Plan: {done} of {count} done{present && `. Now: ${present}`}
      </summary>
      <pre className="plan">{entry.content}</pre>
    </details>
  );
}
