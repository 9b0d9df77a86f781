import { Field, SelectField, TextField } from '../ui/field.js';
import { Form } from '../ui/form.js';
import {
  choicesOf,
  contentOf,
  controlName,
  type Detail,
  type FormField,
  type TextValue,
} from './decision.js';
import { Decline, type QuestionProps } from './decline.js';

type FormDetail = Extract<Detail, { readonly schema: unknown }>;

/** Values that the agent asks for. */
export function FormRequest({ detail: { message, schema }, answer }: QuestionProps<FormDetail>) {
  return (
    <Form
      error={answer.error}
      submit={(data) => answer.mutate({ kind: 'accepted', content: contentOf(schema, data) })}
    >
      <p>{message}</p>
      {Object.entries(schema.properties).map(([name, field]) => (
        <Value key={name} name={name} field={field} isRequired={schema.required?.includes(name) ?? false} />
      ))}
      <div className="buttons">
        <button type="submit" disabled={answer.isPending}>
          Send
        </button>
        <Decline answer={answer} />
      </div>
    </Form>
  );
}

interface ValueProps {
  readonly name: string;
  readonly field: FormField;
  readonly isRequired: boolean;
}

function Value({ name, field, isRequired }: ValueProps) {
  const { title = name, description } = field;
  const shown = { label: title, name: controlName(name), ...(description ? { hint: description } : {}) };
  switch (field.type) {
    case 'boolean':
      return (
        <Field {...shown}>
          {(control) => <input type="checkbox" defaultChecked={field.default ?? false} {...control} />}
        </Field>
      );
    case 'array':
      return <Choices shown={shown} field={field} />;
    case 'string':
      return (
        <Text shown={{ ...shown, required: isRequired, defaultValue: field.default ?? '' }} field={field} />
      );
    default: {
      const step = field.type === 'integer' ? 1 : 'any';
      const number = { required: isRequired, defaultValue: field.default, step };
      return <TextField {...shown} {...number} type="number" />;
    }
  }
}

interface Shown {
  readonly label: string;
  readonly name: string;
  readonly hint?: string;
}

type ChoicesValue = Extract<FormField, { readonly type: 'array' }>;

const Choices = ({ shown, field }: { readonly shown: Shown; readonly field: ChoicesValue }) => (
  <Field {...shown}>
    {(control) => (
      <select multiple defaultValue={field.default ?? []} {...control}>
        {choicesOf(field)?.map(({ value, name }) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    )}
  </Field>
);

interface TextProps {
  readonly shown: Shown & { readonly required: boolean; readonly defaultValue: string };
  readonly field: TextValue;
}

function Text({ shown, field }: TextProps) {
  const choices = choicesOf(field);
  if (!choices) return <TextField {...shown} type={inputTypeOf(field)} />;
  const rows = choices.map(({ value, name }) => [value, name] as const);
  return <SelectField {...shown} choices={[['', ''], ...rows]} />;
}

/** A date and time has no zone in a control of its own. */
function inputTypeOf({ format }: TextValue): string {
  if (format === 'uri') return 'url';
  return format === 'email' || format === 'date' ? format : 'text';
}
