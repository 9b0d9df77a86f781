/** A Dockerfile may have these lines before its first instruction. */
const beforeInstructions = /^\s*(?:#|\/\/|$)/;
const directive = /^\s*(?:#|\/\/)\s*syntax\s*=/i;
/** Not a comment: engines stop to read directives, such as that of the escape character, at one. */
const replacement = '# ignored=syntax';

/**
 * The Dockerfile without the directives that name a frontend, an image that BuildKit would fetch
 * and run in place of its own. Lines keep their numbers.
 */
export function withoutFrontend(dockerfile: string): string {
  const lines = dockerfile.replace(/^\uFEFF/, '').split('\n');
  const found = lines.findIndex((line) => !beforeInstructions.test(line));
  const end = found < 0 ? lines.length : found;
  // BuildKit reads the directive from JSON too; no instruction begins with a brace.
  const isJson = /^\s*\{/.test(lines[end] ?? '');
  return lines
    .map((line, at) => {
      if (at < end && directive.test(line)) return replacement;
      return at === end && isJson ? `# ${line}` : line;
    })
    .join('\n');
}
