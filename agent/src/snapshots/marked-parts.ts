/** The command that prints a mark between two parts of the output of a script. */
export const printMark = (mark: string): string => `printf '${mark.replaceAll('\0', '\\0')}'`;

/** The parts of an output, without the marks. */
export function splitAt(printed: Buffer, mark: string): Buffer[] {
  const parts: Buffer[] = [];
  for (let from = 0; ; ) {
    const end = printed.indexOf(mark, from);
    if (end < 0) return [...parts, printed.subarray(from)];
    parts.push(printed.subarray(from, end));
    from = end + mark.length;
  }
}
