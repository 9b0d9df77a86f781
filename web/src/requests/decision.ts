import type { Operations } from '../../../client/berth-client.js';
import type { FormContent } from '../../../protocol/interaction-forms.js';
import { answerText } from '../../../protocol/interactions.js';

type Path = '/api/projects/{projectId}/sessions/{sessionId}/interactions/{interactionId}';
/** The request of the agent. */
export type Detail = NonNullable<Operations[`GET ${Path}`]['answer']['detail']>;
type OptionKind = Extract<Detail, { readonly options: unknown }>['options'][number]['kind'];
type FormSchema = Extract<Detail, { readonly schema: unknown }>['schema'];

/**
 * The effect of an option of a permission, in words of the console: the agent chooses the option's
 * name, and can name one that allows "Deny".
 */
export const effectOf: Readonly<Record<OptionKind, string>> = {
  allow_once: 'Allow once',
  allow_always: 'Allow always',
  reject_once: 'Reject once',
  reject_always: 'Reject always',
  custom: 'Other answer',
};

type Unhashed<One> = One extends unknown ? Omit<One, 'answerHash'> : never;
/** The answer of the person. */
export type Decision = Unhashed<Operations[`POST ${Path}/answer`]['body']['decision']>;

/** The control plane and the node compare it with the answer that they get. */
export async function answerHash(decision: Decision): Promise<string> {
  const bytes = new TextEncoder().encode(answerText(decision));
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export type FormField = FormSchema['properties'][string];
export type TextValue = Extract<FormField, { readonly type: 'string' }>;

/** The name of the control of a value, as the API names it when it refuses the value. */
export const controlName = (property: string): string => `decision.content.${property}`;

/** The values of a form. A field that is empty has none. */
export function contentOf({ properties }: FormSchema, data: FormData): FormContent {
  const values = Object.entries(properties).flatMap(([name, field]) => {
    const value = enteredIn(field, data, controlName(name));
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(values);
}

function enteredIn(field: FormField, data: FormData, control: string): FormContent[string] | undefined {
  if (field.type === 'boolean') return data.has(control);
  if (field.type === 'array') return data.getAll(control).map(String);
  const text = String(data.get(control) ?? '');
  if (text === '') return undefined;
  return field.type === 'string' ? text : Number(text);
}

export interface FieldChoice {
  readonly value: string;
  readonly name: string;
}

/** What can be chosen, or undefined for a value that is typed. */
export function choicesOf(field: FormField): readonly FieldChoice[] | undefined {
  if (field.type === 'array')
    return 'enum' in field.items ? plain(field.items.enum) : titled(field.items.anyOf);
  if (field.type !== 'string') return undefined;
  if (field.enum) return plain(field.enum);
  return field.oneOf && titled(field.oneOf);
}

const plain = (values: readonly string[]): readonly FieldChoice[] =>
  values.map((value) => ({ value, name: value }));
const titled = (values: readonly { readonly const: string; readonly title: string }[]) =>
  values.map(({ const: value, title }) => ({ value, name: title }));
