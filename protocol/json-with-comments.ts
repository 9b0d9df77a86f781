/** The first place where a text is not JSON with comments. Line and column begin at 1. */
interface JsonProblem {
  readonly line: number;
  readonly column: number;
  /** The rule that is broken. It contains nothing of the text. */
  readonly message: string;
}

const maxDepth = 100;
const whitespace = /[ \t\r\n]*/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /(?:true|false|null)\b/y;
const plainText = /[ !#-[\]-\uFFFF]*/y;
const escapeSequence = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/**
 * Finds the first error of a text that should be JSON, with comments, trailing commas and a byte
 * order mark. The root must be an object.
 */
export function jsonProblem(text: string): JsonProblem | null {
  try {
    new Reader(text).root();
    return null;
  } catch (error) {
    if (error instanceof BrokenJson) return { ...placeOf(text, error.position), message: error.message };
    throw error;
  }
}

/**
 * The object of a text that is JSON with comments, trailing commas and a byte order mark.
 *
 * @throws {BrokenJson}
 */
export function parseJsonWithComments(text: string): Readonly<Record<string, unknown>> {
  return new Reader(text).root();
}

class BrokenJson extends Error {
  override readonly name = 'BrokenJson';

  constructor(
    message: string,
    readonly position: number,
  ) {
    super(message);
  }
}

class Reader {
  private position = 0;

  constructor(private readonly text: string) {
    if (text.startsWith('\uFEFF')) this.position = 1;
  }

  root(): Record<string, unknown> {
    this.skip();
    if (this.isEnd) this.fail('the file is empty');
    if (!this.isAt('{')) this.fail('the file must contain one object in braces');
    const root = this.object(0);
    this.skip();
    if (!this.isEnd) this.fail('text follows the last closing brace');
    return root;
  }

  private isAt(character: string): boolean {
    return this.text.charAt(this.position) === character;
  }

  private get isEnd(): boolean {
    return this.position >= this.text.length;
  }

  private value(depth: number): unknown {
    if (depth > maxDepth) this.fail(`values are nested more than ${maxDepth} deep`);
    if (this.isAt('{')) return this.object(depth);
    if (this.isAt('[')) return this.list(']', () => this.value(depth + 1));
    if (this.isAt('"')) return this.string();
    if (this.isAt("'")) this.fail('a text must be in double quotes');
    const start = this.position;
    if (!this.take(number) && !this.take(word)) this.fail('a value is missing or is not valid');
    return JSON.parse(this.text.slice(start, this.position));
  }

  /** The last member of a name counts. */
  private object(depth: number): Record<string, unknown> {
    return Object.fromEntries(this.list('}', () => this.member(depth + 1)));
  }

  /** A comma may follow the last item. */
  private list<Item>(close: string, item: () => Item): Item[] {
    const items: Item[] = [];
    const start = this.position;
    this.position += 1;
    for (;;) {
      this.inside(start);
      if (this.isAt(close)) break;
      items.push(item());
      this.inside(start);
      if (this.isAt(close)) break;
      if (!this.isAt(',')) this.fail(`a comma or "${close}" is missing`);
      this.position += 1;
    }
    this.position += 1;
    return items;
  }

  private member(depth: number): readonly [name: string, value: unknown] {
    if (!this.isAt('"')) this.fail('a name in double quotes or "}" is missing');
    const name = this.string();
    this.skip();
    if (!this.isAt(':')) this.fail('a colon is missing');
    this.position += 1;
    this.skip();
    return [name, this.value(depth)];
  }

  private string(): string {
    const start = this.position;
    this.position += 1;
    for (;;) {
      this.take(plainText);
      if (this.take(/"/y)) return JSON.parse(this.text.slice(start, this.position));
      if (!this.take(escapeSequence)) this.failInString(start);
    }
  }

  private failInString(start: number): never {
    if (this.isEnd || this.isAt('\n') || this.isAt('\r'))
      this.fail('the quote that begins here is not closed on its line', start);
    if (this.isAt('\\')) this.fail('a backslash in quotes must begin a valid escape sequence');
    this.fail('a control character in quotes must be written as an escape sequence');
  }

  /** Skips white space and comments of the object or array that begins at `start`. */
  private inside(start: number): void {
    this.skip();
    if (this.isEnd) this.fail('the file ends before this brace or bracket is closed', start);
  }

  private skip(): void {
    for (;;) {
      this.take(whitespace);
      if (this.text.startsWith('//', this.position)) this.take(/[^\r\n]*/y);
      else if (this.text.startsWith('/*', this.position)) this.comment();
      else return;
    }
  }

  private comment(): void {
    const end = this.text.indexOf('*/', this.position + 2);
    if (end === -1) this.fail('the comment that begins here is not closed');
    this.position = end + 2;
  }

  private take(pattern: RegExp): boolean {
    pattern.lastIndex = this.position;
    if (!pattern.test(this.text)) return false;
    this.position = pattern.lastIndex;
    return true;
  }

  private fail(message: string, position = this.position): never {
    throw new BrokenJson(message, position);
  }
}

function placeOf(text: string, position: number): { readonly line: number; readonly column: number } {
  const lines = text
    .slice(0, position)
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/);
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}
