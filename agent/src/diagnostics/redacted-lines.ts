import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { redactText } from '../shared/redact.js';

const maxLineLength = 16_384;

/** Redacts a text line by line, and removes private keys, which span several lines. */
export async function* redactedLines(input: Readable): AsyncGenerator<string> {
  let isInKey = false;
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (/-----END [A-Z ]*PRIVATE KEY-----/.test(line)) {
      isInKey = false;
      continue;
    }
    if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(line)) {
      isInKey = true;
      yield '[redacted]\n';
    }
    if (!isInKey) yield `${redactText(line.slice(0, maxLineLength))}\n`;
  }
}
