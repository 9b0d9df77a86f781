import { ApiError, type FailingField } from '../../../client/api-error.js';

/** The path of a field in a request without the part that says where in the request it is. */
const pathOf = ({ field }: FailingField): string => field.replace(/^body\./, '');

/** Whether a control shows what is wrong with this field, or with a part of it. */
const isOf = (name: string, path: string): boolean => path === name || path.startsWith(`${name}.`);

const detailsOf = (error: unknown): readonly FailingField[] =>
  error instanceof ApiError ? error.details : [];

/** What the API says of one control of a form. */
export function problemOf(error: unknown, name: string): string | undefined {
  const own = detailsOf(error).filter((detail) => isOf(name, pathOf(detail)));
  const texts = own.map((detail) => {
    const part = pathOf(detail).slice(name.length + 1);
    return part ? `${part}: ${detail.message}` : detail.message;
  });
  return texts.length > 0 ? texts.join('; ') : undefined;
}

/** What it says of fields that the form has no control for. */
export const problemsElsewhere = (error: unknown, names: readonly string[]): readonly string[] =>
  detailsOf(error)
    .filter((detail) => !names.some((name) => isOf(name, pathOf(detail))))
    .map((detail) => `${pathOf(detail)}: ${detail.message}`);

export const hasDetails = (error: unknown): boolean => detailsOf(error).length > 0;

/** A refusal of the console's own, at a field like those of the API. */
export const refusal = (field: string, message: string): ApiError =>
  new ApiError(new Response(null, { status: 400 }), {
    error: 'BAD_REQUEST',
    message,
    details: [{ field: `body.${field}`, message }],
  });
