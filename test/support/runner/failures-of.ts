import { stripVTControlCharacters } from 'node:util';
import type { SerializedError, TestModule } from 'vitest/node';
import type { Failure } from '../../../scripts/test-run/outcome.js';

const longestReason = 600;
const longestValue = 300;

declare module 'vitest' {
  interface TaskMeta {
    /** Of a test that failed: what `failed-test.setup.ts` kept. */
    kept?: { readonly logs: string[]; readonly artefacts: string };
  }
}

/** Of the module's tests, and of its hooks and imports. */
export function failuresOf(module: TestModule): readonly Failure[] {
  const tests = [...module.children.allTests('failed')].map((test) => {
    const { errors } = test.result();
    return { ...failure(test.fullName, errors), ...test.meta().kept };
  });
  const suites = [module, ...module.children.allSuites()].flatMap((suite) => {
    const errors = suite.errors();
    const title = suite.type === 'suite' ? suite.fullName : '';
    return errors.length === 0 ? [] : [failure(title, errors)];
  });
  return [...tests, ...suites];
}

function failure(title: string, errors: readonly SerializedError[] = []): Failure {
  const isFinal = errors.some(({ name }) => name === 'Leftovers');
  return { title, reason: reasonOf(errors), isFinal, logs: [] };
}

/** What was wrong, and, of a comparison, what was expected and what was seen. */
export function reasonOf(errors: readonly SerializedError[] = []): string {
  return errors
    .map(({ message, expected, actual, cause }) =>
      [
        message.slice(0, longestReason),
        ...valueLine('expected', expected),
        ...valueLine('seen', actual),
        ...causeLine(cause),
      ].join('\n'),
    )
    .map(stripVTControlCharacters)
    .join('\n');
}

function valueLine(name: string, value: unknown): readonly string[] {
  if (value === undefined) return [];
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return [`${name}: ${text.replaceAll(/\s+/g, ' ').slice(0, longestValue)}`];
}

/** What a wait saw last is the cause of its error. */
function causeLine(cause: unknown): readonly string[] {
  if (typeof cause !== 'object' || cause === null || !('message' in cause)) return [];
  return [`because: ${String(cause.message).slice(0, longestReason)}`];
}

/** The lines of a report: a failure must be readable from the last lines of a log. */
export function linesOf(where: string, { title, reason, logs, artefacts }: Failure): readonly string[] {
  return [
    title === '' ? where : `${where} > ${title}`,
    ...reason.split('\n').map((line) => `  ${line}`),
    ...logs.map((line) => `  | ${line}`),
    ...(artefacts === undefined ? [] : [`  kept: ${artefacts}`]),
  ];
}
