/** The destination comes before the files. */
export function formOf(destination: string, files: readonly File[]): FormData {
  const form = new FormData();
  form.set('destination', destination);
  for (const file of files) form.append('files', file, file.name);
  return form;
}

const mebibyte = 1_024 ** 2;

/** Larger ones go to the node directly. */
export const isForNode = (files: readonly File[]): boolean =>
  // Room for what a form adds to its files.
  files.reduce((sum, { size }) => sum + size, 0) > 4 * mebibyte - 65_536;

/** Why these cannot be uploaded; null when they can. */
export function uploadProblem(files: readonly Pick<File, 'name' | 'size'>[]): string | null {
  const large = files.find(({ size }) => size > 50 * mebibyte);
  if (large) return `${large.name} is larger than 50 MiB.`;
  const all = files.reduce((sum, { size }) => sum + size, 0);
  return all > 250 * mebibyte ? 'The files are larger than 250 MiB in all.' : null;
}
