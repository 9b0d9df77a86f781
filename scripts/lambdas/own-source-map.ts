const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const valueOfCode = new Int8Array(128).fill(-1);
const comma = ','.charCodeAt(0);
for (const [value, digit] of [...digits].entries()) valueOfCode[digit.charCodeAt(0)] = value;

interface SourceMap {
  readonly sources: readonly string[];
  readonly mappings: string;
}

/**
 * Cuts a source map down to what a stack trace needs: the lines of this repository's own sources,
 * named by their path in it. Positions in packages, columns within a line and names are nine tenths
 * of the map.
 */
export function ownSourceMap(text: string): string {
  const { sources, mappings }: SourceMap = JSON.parse(text);
  const writer = new LineWriter(sources.map(ownPath));
  for (const line of mappings.split(';')) {
    const reader = new LineReader(line);
    while (!reader.isAtEnd) writer.copySegment(reader);
    writer.endLine();
  }
  return JSON.stringify({ version: 3, sources: writer.sources, names: [], mappings: writer.mappings });
}

/** `lambdas/edge/route.ts` for a source of ours, which the map names relative to the bundle. */
function ownPath(source: string): string | undefined {
  return source.includes('node_modules/') ? undefined : source.replace(/^(?:\.\.\/)+/, '');
}

/** Reads the numbers of one line's mappings. There are millions: no number becomes an object. */
class LineReader {
  private position = 0;

  constructor(private readonly line: string) {}

  get isAtEnd(): boolean {
    return this.position >= this.line.length;
  }

  get isInSegment(): boolean {
    return !this.isAtEnd && this.line.charCodeAt(this.position) !== comma;
  }

  next(): number {
    let value = 0;
    for (let shift = 0; ; shift += 5) {
      const digit = valueOfCode[this.line.charCodeAt(this.position)] ?? 0;
      this.position += 1;
      value |= (digit & 31) << shift;
      if (digit < 32) return value & 1 ? -(value >> 1) : value >> 1;
    }
  }

  endSegment(): void {
    while (this.isInSegment) this.next();
    this.position += 1;
  }
}

class LineWriter {
  readonly sources: string[] = [];
  mappings = '';
  private readonly indexes = new Map<string, number>();
  private read = { column: 0, source: 0, line: 0 };
  private written = { column: 0, source: 0, line: 0 };
  private path: string | undefined;
  private isLineStart = true;

  constructor(private readonly paths: readonly (string | undefined)[]) {}

  /** The numbers are differences: column, and of a segment that maps something source and line. */
  copySegment(reader: LineReader): void {
    this.read.column += reader.next();
    const isMapped = reader.isInSegment;
    if (isMapped) {
      this.read.source += reader.next();
      this.read.line += reader.next();
    }
    reader.endSegment();
    const path = isMapped ? this.paths[this.read.source] : undefined;
    if (path === this.path && (path === undefined || this.read.line === this.written.line)) return;
    this.path = path;
    this.write(path);
  }

  endLine(): void {
    this.mappings += ';';
    this.read.column = 0;
    this.written.column = 0;
    this.path = undefined;
    this.isLineStart = true;
  }

  private write(path: string | undefined): void {
    const { read, written } = this;
    const source = path === undefined ? written.source : this.indexOf(path);
    this.mappings += `${this.isLineStart ? '' : ','}${vlq(read.column - written.column)}`;
    if (path !== undefined)
      this.mappings += `${vlq(source - written.source)}${vlq(read.line - written.line)}A`;
    this.written = { column: read.column, source, line: path === undefined ? written.line : read.line };
    this.isLineStart = false;
  }

  private indexOf(path: string): number {
    const known = this.indexes.get(path);
    if (known !== undefined) return known;
    this.indexes.set(path, this.sources.length);
    return this.sources.push(path) - 1;
  }
}

function vlq(number: number): string {
  let rest = number < 0 ? (-number << 1) | 1 : number << 1;
  let text = '';
  do {
    const digit = rest & 31;
    rest >>>= 5;
    text += digits[rest > 0 ? digit | 32 : digit];
  } while (rest > 0);
  return text;
}
