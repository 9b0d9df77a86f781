import { type ComponentProps, type ReactNode, useContext, useId } from 'react';
import { FormError } from './form.js';
import { problemOf } from './problems.js';

interface Labelled {
  readonly label: string;
  /** As the field is called in the request: what the API says of it appears here. */
  readonly name: string;
  readonly hint?: string;
}

interface ControlProps {
  readonly id: string;
  readonly name: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean;
}

interface FieldProps extends Labelled {
  readonly children: (control: ControlProps) => ReactNode;
}

/** A control with its label, a hint, and what is wrong with its value. */
export function Field({ label, name, hint, children }: FieldProps) {
  const id = useId();
  const problem = problemOf(useContext(FormError), name);
  const described = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ');
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        ...{ id, name, 'aria-invalid': problem !== undefined },
        'aria-describedby': described || undefined,
      })}
      {hint && (
        <p id={`${id}-hint`} className="hint">
          {hint}
        </p>
      )}
      {problem && (
        <p id={`${id}-problem`} className="problem">
          {problem}
        </p>
      )}
    </div>
  );
}

export const TextField = ({ label, name, hint, ...input }: Labelled & ComponentProps<'input'>) => (
  <Field {...named(label, name, hint)}>
    {(control) => <input type="text" autoComplete="off" {...input} {...control} />}
  </Field>
);

export const TextArea = ({ label, name, hint, ...input }: Labelled & ComponentProps<'textarea'>) => (
  <Field {...named(label, name, hint)}>{(control) => <textarea rows={3} {...input} {...control} />}</Field>
);

export type Choice = readonly [value: string, name: string];

interface SelectProps extends Labelled, Omit<ComponentProps<'select'>, 'name'> {
  readonly choices: readonly Choice[];
}

export const SelectField = ({ label, name, hint, choices, ...select }: SelectProps) => (
  <Field {...named(label, name, hint)}>
    {(control) => (
      <select {...select} {...control}>
        {choices.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    )}
  </Field>
);

const named = (label: string, name: string, hint: string | undefined): Labelled => ({
  ...{ label, name },
  ...(hint === undefined ? {} : { hint }),
});
