import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Said {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

/** Sessions as files, one line a message. */
export class Sessions {
  constructor(private readonly folder: string) {
    mkdirSync(folder, { recursive: true });
  }

  create(): string {
    const id = randomUUID();
    writeFileSync(this.path(id), '');
    return id;
  }

  has(id: string): boolean {
    return /^[\w-]+$/.test(id) && existsSync(this.path(id));
  }

  add(id: string, said: Said): void {
    appendFileSync(this.path(id), `${JSON.stringify(said)}\n`);
  }

  history(id: string): Said[] {
    if (!this.has(id)) return [];
    const lines = readFileSync(this.path(id), 'utf8').split('\n').filter(Boolean);
    return lines.map((line): Said => JSON.parse(line));
  }

  ids(): string[] {
    return readdirSync(this.folder).map((name) => name.replace(/\.jsonl$/, ''));
  }

  private path(id: string): string {
    return join(this.folder, `${id}.jsonl`);
  }
}
