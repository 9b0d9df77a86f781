export interface EditedLine {
  readonly row: number;
  readonly kind: 'added' | 'removed' | 'context' | 'gap';
  readonly text: string;
}
export interface EditedFile {
  readonly path: string;
  readonly lines: readonly EditedLine[];
}

/**
 * The files of an edit. The node agent writes of each its path, then all old lines after `-`, then
 * all new ones after `+`. Null: the text has another form.
 */
export function editsOf(text: string): readonly EditedFile[] | null {
  const parts = text.split(/\n\n(?=[^\n+-][^\n]*\n[+-])/);
  const files = parts.map(editOf);
  return files.every((file) => file !== null) ? files : null;
}

function editOf(part: string): EditedFile | null {
  const [path = '', ...rest] = part.split('\n');
  const old = rest.filter((line) => line.startsWith('-')).map((line) => line.slice(1));
  const fresh = rest.filter((line) => line.startsWith('+')).map((line) => line.slice(1));
  const isEdit = /^[^+-]/.test(path) && rest.length > 0 && old.length + fresh.length === rest.length;
  return isEdit ? { path, lines: changedLines(old, fresh) } : null;
}

const context = 3;

/** What differs, with a few lines around it. */
function changedLines(old: readonly string[], fresh: readonly string[]): readonly EditedLine[] {
  const shorter = Math.min(old.length, fresh.length);
  let start = 0;
  while (start < shorter && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === fresh.at(-1 - end)) end += 1;
  const lines = (kind: EditedLine['kind'], texts: readonly string[]) => texts.map((text) => ({ kind, text }));
  const before = fresh.slice(Math.max(0, start - context), start);
  const after = fresh.slice(fresh.length - end, fresh.length - end + context);
  return [
    ...lines('gap', start > context ? ['…'] : []),
    ...lines('context', before),
    ...lines('removed', old.slice(start, old.length - end)),
    ...lines('added', fresh.slice(start, fresh.length - end)),
    ...lines('context', after),
    ...lines('gap', end > context ? ['…'] : []),
  ].map((line, row) => ({ ...line, row }));
}

const esc = String.fromCharCode(27);
const endOfTitle = String.fromCharCode(7);
const controls = new RegExp(
  `${esc}\\[[0-9;?]*[ -/]*[@-~]|${esc}\\][^${endOfTitle}${esc}]*(?:${endOfTitle}|${esc}\\\\)`,
  'g',
);

/** Output of a command without what colours it and moves the cursor. */
export const plainOutput = (text: string): string => text.replace(controls, '').replaceAll('\r\n', '\n');

/** How far a plan has come, and its present step. */
export function planProgress(plan: string) {
  const steps = [...plan.matchAll(/^- \[([ x~])\] (.*)$/gm)].map(([, mark, text = '']) => ({ mark, text }));
  const done = steps.filter(({ mark }) => mark === 'x').length;
  const present = steps.find(({ mark }) => mark === '~') ?? steps.find(({ mark }) => mark === ' ');
  return { done, count: steps.length, present: present?.text ?? null };
}
