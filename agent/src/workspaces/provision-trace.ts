import { redactText } from '../shared/redact.js';
import { readable } from './devcontainer/build-output.js';

const keptCharacters = 4_000;
const shownCharacters = 600;

interface Step {
  readonly message: string;
  readonly startedAt: number;
}

/** The step and the last output of a provisioning, for the message of its timeout. */
export class ProvisionTrace {
  private step: Step | null = null;
  private output = '';
  /** Why the workspace runs from the default image. */
  fallback: string | null = null;

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** The step is current until the next one begins. */
  begin(message: string): void {
    this.step = { message, startedAt: this.now() };
    this.output = '';
  }

  add(text: string): void {
    this.output = (this.output + text).slice(-keptCharacters);
  }

  get text(): string {
    if (!this.step) return 'It waited for a build slot.';
    const { message, startedAt } = this.step;
    const seconds = Math.round((this.now() - startedAt) / 1_000);
    return `The step "${message}" had run for ${seconds} s. ${this.lastOutput()}`;
  }

  private lastOutput(): string {
    // Cut after the redaction, which needs whole words.
    const text = redactText(readable(this.output)).trim().slice(-shownCharacters);
    return text ? `Last output:\n${text}` : 'It had no output.';
  }
}
