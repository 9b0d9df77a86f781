import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import * as z from 'zod/mini';

/** A list of records, kept on disk. */
export class JsonFile<Schema extends z.ZodMiniType> {
  constructor(
    private readonly file: string,
    private readonly schema: Schema,
  ) {}

  read(): z.output<Schema>[] {
    return existsSync(this.file)
      ? z.array(this.schema).parse(JSON.parse(readFileSync(this.file, 'utf8')))
      : [];
  }

  write(records: readonly z.output<Schema>[]): void {
    writeFileSync(`${this.file}.new`, JSON.stringify(records), { mode: 0o600 });
    renameSync(`${this.file}.new`, this.file);
  }
}
