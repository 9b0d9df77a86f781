import { createContext, type ReactNode, useEffect, useRef, useState } from 'react';
import { messageOf } from '../api-error.js';
import { hasDetails, problemsElsewhere } from './problems.js';

/** Why the last submission was refused; fields show their own part of it. */
export const FormError = createContext<unknown>(undefined);

interface FormProps {
  readonly error: unknown;
  readonly submit: (data: FormData) => void;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A form whose fields say what the API refused in them. The first of them gets the focus. */
export function Form({ error, submit, className, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [elsewhere, setElsewhere] = useState<readonly string[]>([]);
  useEffect(() => {
    if (!error || !form.current) return;
    const names = [...new FormData(form.current).keys()];
    setElsewhere(problemsElsewhere(error, names));
    form.current.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);
  return (
    <form
      ref={form}
      className={className}
      onSubmit={(event) => {
        event.preventDefault();
        submit(new FormData(event.currentTarget));
      }}
    >
      <FormError value={error}>{children}</FormError>
      <div role="alert">
        {Boolean(error) && (
          <p className="notice bad">{hasDetails(error) ? inWords(elsewhere) : messageOf(error)}</p>
        )}
      </div>
    </form>
  );
}

const inWords = (elsewhere: readonly string[]): string =>
  elsewhere.length > 0 ? `Not saved. ${elsewhere.join('; ')}` : 'Not saved. See the marked fields.';
