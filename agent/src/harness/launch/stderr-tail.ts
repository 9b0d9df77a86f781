import { redactText } from '../../shared/redact.js';

/** The end of what a process says on standard error. */
export class StderrTail {
  private held = Buffer.alloc(0);
  private dropped = false;

  constructor(private readonly maxBytes: number) {}

  add(chunk: Buffer): void {
    const whole = Buffer.concat([this.held, chunk.subarray(-this.maxBytes)]);
    this.dropped ||= whole.length > this.maxBytes || chunk.length > this.maxBytes;
    this.held = Buffer.from(whole.subarray(-this.maxBytes));
  }

  get isTruncated(): boolean {
    return this.dropped;
  }

  /**
   * Redacted, from the first whole line on where some was lost: half a secret at the cut would not be recognised.
   * @param secrets values that must not be shown, whatever they look like
   */
  text(secrets: readonly string[] = []): string {
    const all = this.held.toString();
    const lineStart = all.indexOf('\n') + 1;
    const whole = this.dropped ? (lineStart > 0 ? all.slice(lineStart) : '') : all;
    return redactText(withoutSecrets(whole, secrets)).trim();
  }
}

/** Shorter values are no secrets, and would be found everywhere. */
const shortestSecret = 8;

export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= shortestSecret)
    .reduce((clean, secret) => clean.replaceAll(secret, '[redacted]'), text);
}
