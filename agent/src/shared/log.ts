import { redact, redactText } from './redact.js';

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];
export type LogFields = Readonly<Record<string, unknown>>;

/** A line as data, redacted as the line is. */
export interface WrittenEntry {
  readonly timestamp: string;
  readonly level: LogLevel;
  readonly message: string;
  readonly metadata: unknown;
}

/** Structured log that redacts secrets. */
export class Log {
  constructor(
    private readonly options: { readonly level: LogLevel; readonly format: 'json' | 'text' },
    private readonly write: (line: string, entry: WrittenEntry) => void,
    private readonly fields: LogFields = {},
  ) {}

  /** A log that adds these fields to each line. */
  with(fields: LogFields): Log {
    return new Log(this.options, this.write, { ...this.fields, ...fields });
  }

  debug(message: string, fields?: LogFields): void {
    this.line('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.line('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.line('warn', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.line('error', message, fields);
  }

  private line(level: LogLevel, message: string, fields: LogFields = {}): void {
    if (logLevels.indexOf(level) < logLevels.indexOf(this.options.level)) return;
    const time = new Date().toISOString();
    const details = redact({ ...this.fields, ...fields });
    const text = redactText(message);
    const entry = { timestamp: time, level, message: text, metadata: details };
    if (this.options.format === 'text') {
      // One line an entry, whatever the message holds.
      const line = text.replace(/[\r\n]+/g, ' ');
      this.write(`${time} ${level.toUpperCase()} ${line} ${JSON.stringify(details)}\n`, entry);
      return;
    }
    this.write(`${JSON.stringify({ time, level, message: text, ...Object(details) })}\n`, entry);
  }
}
