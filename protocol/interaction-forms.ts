import * as z from 'zod/mini';

/** The form of an interaction: a flat JSON schema, and the values that a person enters. */

export const formLimits = {
  schemaBytes: 16_384,
  properties: 20,
  choices: 50,
  stringBytes: 4_096,
} as const;

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;
const label = z.string().check(z.maxLength(1_000));
const size = z.int().check(z.gte(0));
const Choice = z.string().check(z.maxLength(200));
const TitledChoice = z.strictObject({ const: Choice, title: label, description: z.optional(label) });
const listOf = <Item extends z.core.$ZodType>(item: Item) =>
  z.array(item).check(z.minLength(1), z.maxLength(formLimits.choices));

const described = { title: z.optional(label), description: z.optional(label) };

const StringField = z.strictObject({
  ...described,
  type: z.literal('string'),
  enum: z.optional(listOf(Choice)),
  oneOf: z.optional(listOf(TitledChoice)),
  minLength: z.optional(size),
  maxLength: z.optional(size),
  /** Helps the person to enter the value; nothing checks it. */
  format: z.optional(z.enum(['email', 'uri', 'date', 'date-time'])),
  default: z.optional(z.string().check(z.maxLength(4_096))),
});

const NumberField = z.strictObject({
  ...described,
  type: z.enum(['number', 'integer']),
  minimum: z.optional(z.number()),
  maximum: z.optional(z.number()),
  default: z.optional(z.number()),
});

const BooleanField = z.strictObject({
  ...described,
  type: z.literal('boolean'),
  default: z.optional(z.boolean()),
});

const ChoicesField = z.strictObject({
  ...described,
  type: z.literal('array'),
  items: z.union([
    z.strictObject({ type: z.literal('string'), enum: listOf(Choice) }),
    z.strictObject({ anyOf: listOf(TitledChoice) }),
  ]),
  minItems: z.optional(size),
  maxItems: z.optional(size),
  default: z.optional(z.array(Choice).check(z.maxLength(formLimits.choices))),
});

const FormField = z.union([StringField, NumberField, BooleanField, ChoicesField]);
type FormField = z.infer<typeof FormField>;

const FieldName = z.string().check(z.minLength(1), z.maxLength(128));

export const FormSchema = z
  .strictObject({
    type: z.literal('object'),
    ...described,
    properties: z
      .record(FieldName, FormField)
      .check(
        z.refine(
          (properties) => Object.keys(properties).length <= formLimits.properties,
          `at most ${formLimits.properties} properties`,
        ),
      ),
    required: z.optional(z.array(FieldName).check(z.maxLength(formLimits.properties))),
  })
  .check(
    z.refine(
      ({ properties, required = [] }) => required.every((name) => Object.hasOwn(properties, name)),
      'required names an unknown property',
    ),
    z.refine(
      (schema) => bytesOf(JSON.stringify(schema)) <= formLimits.schemaBytes,
      `at most ${formLimits.schemaBytes} bytes`,
    ),
  );
export type FormSchema = z.infer<typeof FormSchema>;

const Value = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);
export const FormContent = z.record(FieldName, Value);
export type FormContent = z.infer<typeof FormContent>;
/** The values before they are sent. */
export type Entered = Readonly<Record<string, string | number | boolean | readonly string[]>>;

interface FormProblem {
  /** Of the property. */
  readonly name: string;
  readonly message: string;
}

/** The first value that the form does not accept. */
export function formProblem(schema: FormSchema, content: Entered): FormProblem | undefined {
  const unknown = Object.keys(content).find((name) => !Object.hasOwn(schema.properties, name));
  if (unknown !== undefined) return { name: unknown, message: 'The form has no such property' };
  for (const [name, field] of Object.entries(schema.properties)) {
    const value = Object.hasOwn(content, name) ? content[name] : undefined;
    const message = value === undefined ? missing(schema, name) : problemOf(field, value);
    if (message) return { name, message };
  }
  return undefined;
}

const missing = ({ required = [] }: FormSchema, name: string): string | undefined =>
  required.includes(name) ? 'Required' : undefined;

function problemOf(field: FormField, value: Entered[string]): string | undefined {
  if (field.type === 'boolean') return typeof value === 'boolean' ? undefined : 'Must be true or false';
  if (field.type === 'string') return textProblem(field, value);
  return field.type === 'array' ? choicesProblem(field, value) : numberProblem(field, value);
}

function textProblem(field: z.infer<typeof StringField>, value: unknown): string | undefined {
  if (typeof value !== 'string') return 'Must be text';
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = field;
  const choices = field.enum ?? field.oneOf?.map((choice) => choice.const);
  if (choices && !choices.includes(value)) return 'Must be one of the choices';
  if (bytesOf(value) > formLimits.stringBytes) return `Must have at most ${formLimits.stringBytes} bytes`;
  const length = [...value].length;
  return length < minLength || length > maxLength
    ? `Must have ${range(minLength, maxLength)} characters`
    : undefined;
}

function numberProblem(field: z.infer<typeof NumberField>, value: unknown): string | undefined {
  if (typeof value !== 'number') return 'Must be a number';
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = field;
  if (field.type === 'integer' && !Number.isSafeInteger(value)) return 'Must be a whole number';
  return value < minimum || value > maximum ? `Must be ${range(minimum, maximum)}` : undefined;
}

function choicesProblem(
  { items, minItems = 0, maxItems = formLimits.choices }: z.infer<typeof ChoicesField>,
  value: Entered[string],
): string | undefined {
  if (!Array.isArray(value)) return 'Must be a list';
  const choices = 'enum' in items ? items.enum : items.anyOf.map((choice) => choice.const);
  if (value.some((chosen) => !choices.includes(chosen))) return 'Must contain only choices';
  if (new Set(value).size < value.length) return 'Must contain each choice once';
  return value.length < minItems || value.length > maxItems
    ? `Must have ${range(minItems, maxItems)} choices`
    : undefined;
}

function range(least: number, most: number): string {
  if (most === Number.POSITIVE_INFINITY) return `at least ${least}`;
  return least === Number.NEGATIVE_INFINITY ? `at most ${most}` : `from ${least} to ${most}`;
}
